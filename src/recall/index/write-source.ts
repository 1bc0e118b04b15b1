import type { Database } from "../../store/files/database.ts";
import { raiseAbout, readAbout, writeAbout } from "./schema.ts";
import { measureText } from "../../search/split-text.ts";
import { embeddedText, packTraits } from "../../search/passage.ts";
import type { Passage } from "../../search/passage.ts";
import { isStopWord } from "../../language/stop-words.ts";
import { hashText } from "../../search/hash-text.ts";
import { tokeniseToText } from "../../search/tokenise.ts";
import { removeVectors } from "./vector-blocks.ts";

/** What is stored of a source: a newer stamp, or its passages, those of its new end or all. */
export type SourceRecord = { readonly kind: "same"; readonly path: string; readonly stamp: string } | WrittenSource;

interface WrittenSource {
  readonly kind: "longer" | "new";
  readonly path: string;
  readonly project: string;
  readonly session: string;
  readonly scope: string;
  readonly stamp: string;
  /** How far it was read, as the store says. */
  readonly mark: string;
  /** How many messages with passages a log has; they are numbered without gaps. */
  readonly units: number;
  readonly passages: readonly Passage[];
}

/** Writes sources into the index; all calls must be within one transaction. */
export interface SourceWriter {
  write(record: WrittenSource): void;
  touch(path: string, stamp: string): void;
  remove(path: string): void;
  finish(): void;
}

/** Prepares the statements for one transaction; `finish` must be the last call in it. */
export function createSourceWriter(database: Database): SourceWriter {
  const find = database.prepare("SELECT id FROM sources WHERE path = ?");
  const insert = database.prepare(`
    INSERT INTO sources (path, project, session, scope, stamp, mark, units) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const update = database.prepare(`
    UPDATE sources SET project = ?, session = ?, scope = ?, stamp = ?, mark = ?, units = ? WHERE id = ?`);
  let next = Number(readAbout(database, "next_passage"));
  const insertPassage = preparePassages(database, () => next++);
  const clear = prepareClear(database);

  const save = (record: WrittenSource): number => {
    const { path, project, session, scope, stamp, mark, units } = record;
    const values = [project, session, scope, stamp, mark, units];
    const known = find.get(path)?.["id"];
    if (known === undefined) return Number(insert.run(path, ...values).lastInsertRowid);
    update.run(...values, known);
    if (record.kind === "new") clear(Number(known));
    return Number(known);
  };
  return {
    write(record) {
      const source = save(record);
      for (const passage of record.passages) insertPassage(source, passage);
    },
    touch(path, stamp) {
      database.prepare("UPDATE sources SET stamp = ? WHERE path = ?").run(stamp, path);
    },
    remove(path) {
      const known = find.get(path)?.["id"];
      if (known === undefined) return;
      clear(Number(known));
      database.prepare("DELETE FROM sources WHERE id = ?").run(known);
    },
    finish() {
      writeAbout(database, "next_passage", String(next));
      raiseAbout(database, "generation");
    },
  };
}

function preparePassages(database: Database, nextPassage: () => number): (source: number, passage: Passage) => void {
  const insert = database.prepare(`
    INSERT INTO passages
      (id, source, unit, wall_s, traits, speaker, size, first_line, more_lines, heading, message, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const keys = prepareKeys(database);
  const headingNumber = prepareHeadings(database);
  return (source, passage) => {
    const { unit, text, heading, date, startLine, endLine, voice, kind, isStanding, speaker, message } = passage;
    const id = nextPassage();
    insert.run(
      id,
      source,
      unit,
      date ? Math.floor(date.wallMs / 1_000) : null,
      packTraits({ voice, kind, isStanding, isWholeDay: date !== undefined && date.text.length <= 10 }),
      speaker,
      measureText(text),
      startLine,
      endLine - startLine,
      headingNumber(heading),
      message,
      text,
    );
    keys.add(id, { text, heading, facts: "" });
  };
}

function prepareHeadings(database: Database): (heading: string) => number {
  const find = database.prepare("SELECT id FROM headings WHERE text = ?");
  const insert = database.prepare("INSERT INTO headings (text) VALUES (?)");
  const known = new Map([["", 0]]);
  return (heading) => {
    const number = known.get(heading) ?? Number(find.get(heading)?.["id"] ?? insert.run(heading).lastInsertRowid);
    known.set(heading, number);
    return number;
  };
}

/** What a passage is found by: its words, those of its headings, and those of the facts drawn from it. */
export interface PassageKeys {
  add(passage: number, key: { text: string; heading: string; facts: string }): void;
  remove(passage: number): void;
}

/** Prepares the statements that keep the keyword index in step with the passages. */
export function prepareKeys(database: Database): PassageKeys {
  const insert = database.prepare("INSERT INTO keyword (rowid, text, context, facts) VALUES (?, ?, ?, ?)");
  // FTS5 keeps no texts here, so it must be told the words that it is to forget.
  const remove = database.prepare(
    "INSERT INTO keyword (keyword, rowid, text, context, facts) VALUES ('delete', ?, ?, ?, ?)",
  );
  const read = database.prepare(
    "SELECT p.text, h.text AS heading, p.facts FROM passages p JOIN headings h ON h.id = p.heading WHERE p.id = ?",
  );
  // Passages under one heading come one after the other.
  let last = { heading: "", tokens: "" };
  const headingWords = (heading: string): string => {
    if (heading !== last.heading) last = { heading, tokens: tellingWords(heading) };
    return last.tokens;
  };
  return {
    add(passage, { text, heading, facts }) {
      insert.run(passage, words(text), headingWords(heading), words(facts));
    },
    remove(passage) {
      const row = read.get(passage);
      if (!row) return;
      remove.run(
        passage,
        words(String(row["text"])),
        headingWords(String(row["heading"])),
        words(String(row["facts"])),
      );
    },
  };
}

function words(text: string): string {
  return text === "" ? "" : tokeniseToText(text);
}

/** The words of a heading are stored with every passage below it: small ones, and a date's month and day, are not worth it. */
function tellingWords(heading: string): string {
  return words(heading)
    .replace(/(\d{4}-\d{2}-\d{2} \d{4}) \d{2} \d{2}(?= |$)/g, "$1")
    .split(" ")
    .filter((word) => !isStopWord(word, "en"))
    .join(" ");
}

function prepareClear(database: Database): (source: number) => void {
  const list = database.prepare("SELECT id FROM passages WHERE source = ?");
  const unlink = database.prepare(
    "UPDATE facts SET passage = NULL WHERE passage IN (SELECT id FROM passages WHERE source = ?)",
  );
  const remove = database.prepare("DELETE FROM passages WHERE source = ?");
  const keys = prepareKeys(database);
  return (source) => {
    const passages = list.all(source).map((row) => Number(row["id"]));
    for (const passage of passages) keys.remove(passage);
    setAsideVectors(database, passages);
    unlink.run(source);
    remove.run(source);
  };
}

/** Keeps the vectors of passages that go by their text, which may come back a line further down or in another file. */
function setAsideVectors(database: Database, passages: readonly number[]): void {
  const read = database.prepare(
    "SELECT p.text, p.speaker, h.text AS heading FROM passages p JOIN headings h ON h.id = p.heading WHERE p.id = ?",
  );
  const keep = database.prepare("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)");
  const forget = database.prepare("DELETE FROM embedded WHERE hash = ? AND embedder = ? AND passage = ?");
  for (const { passage, vector, embedder, isFree } of removeVectors(database, passages)) {
    const row = isFree ? undefined : read.get(passage);
    if (!row) continue;
    const [heading, speaker, text] = [row["heading"], row["speaker"], row["text"]].map(String);
    const hash = hashText(embeddedText({ heading: heading ?? "", speaker: speaker ?? "", text: text ?? "" }));
    keep.run(hash, embedder, vector);
    forget.run(hash, embedder, passage);
  }
}
