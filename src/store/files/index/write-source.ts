import type { Database } from "../database.ts";
import { measureText } from "../../../search/split-text.ts";
import { SPEECH_KINDS, VOICES } from "../../../language/speech-kind.ts";
import { embeddedText } from "../../../search/passage.ts";
import type { Passage } from "../../../search/passage.ts";
import { hashText } from "../../../search/hash-text.ts";
import type { ReadSource } from "./read-source.ts";
import { tokeniseToText } from "../../../search/tokenise.ts";

/** Everything that is stored of one source. */
export interface SourceRecord extends ReadSource {
  readonly path: string;
  readonly project: string;
  readonly scope: string;
  readonly stamp: string;
}

/** Writes sources into the index; all calls must be within one transaction. */
export interface SourceWriter {
  write(record: SourceRecord): void;
  touch(path: string, stamp: string): void;
  remove(path: string): void;
}

/** Prepares the statements for one transaction, whose changes carry the next generation's number. */
export function createSourceWriter(database: Database): SourceWriter {
  const generation = nextGeneration(database);
  const find = database.prepare("SELECT id FROM sources WHERE path = ?");
  const insert = database.prepare(`
    INSERT INTO sources (path, project, session, scope, stamp, content, bytes, lines, messages, changed, rewritten)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const update = database.prepare(`
    UPDATE sources SET project = ?, session = ?, scope = ?, stamp = ?, content = ?, bytes = ?, lines = ?, messages = ?,
      changed = ?, rewritten = CASE ? WHEN 1 THEN ? ELSE rewritten END, is_gone = 0
    WHERE id = ?`);
  const insertPassage = preparePassages(database);
  const clear = prepareClear(database);

  const save = (record: SourceRecord): number => {
    const { path, project, session, scope, stamp, content, bytes, lines, messages } = record;
    const known = find.get(path)?.["id"];
    if (known === undefined) {
      const values = [path, project, session, scope, stamp, content, bytes, lines, messages, generation, generation];
      return Number(insert.run(...values).lastInsertRowid);
    }
    const isNew = record.kind === "new" ? 1 : 0;
    const values = [project, session, scope, stamp, content, bytes, lines, messages, generation, isNew, generation];
    update.run(...values, known);
    if (isNew === 1) clear(Number(known));
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
      database
        .prepare("UPDATE sources SET is_gone = 1, stamp = '', bytes = 0, changed = ?, rewritten = ? WHERE id = ?")
        .run(generation, generation, known);
    },
  };
}

function nextGeneration(database: Database): number {
  const row = database
    .prepare("UPDATE about SET value = CAST(value + 1 AS TEXT) WHERE name = 'generation' RETURNING value")
    .get();
  return Number(row?.["value"]);
}

function preparePassages(database: Database): (source: number, passage: Passage) => void {
  const insert = database.prepare(`
    INSERT INTO passages
      (id, source, unit, text, heading, wall_ms, is_whole_day, first_line, last_line, voice, kind, speaker, message, size, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const nextPassage = preparePassageNumbers(database);
  const keys = prepareKeys(database);
  const headingNumber = prepareHeadings(database);
  return (source, passage) => {
    const { unit, text, heading, date, startLine, endLine, voice, kind, speaker, message } = passage;
    const id = nextPassage();
    insert.run(
      id,
      source,
      unit,
      text,
      headingNumber(heading),
      date?.wallMs ?? null,
      date && date.text.length <= 10 ? 1 : 0,
      startLine,
      endLine,
      VOICES.indexOf(voice),
      SPEECH_KINDS.indexOf(kind),
      speaker,
      message,
      measureText(text),
      hashText(embeddedText(passage)),
    );
    keys.add(id, { text, heading, facts: "" });
  };
}

/** Numbers for new passages; a block of them is taken at a time, and what is left of it stays unused. */
function preparePassageNumbers(database: Database): () => number {
  const take = database.prepare(
    `UPDATE about SET value = CAST(value + ${NUMBERS_AT_ONCE} AS TEXT) WHERE name = 'next_passage' RETURNING value`,
  );
  let end = 0;
  let next = 0;
  return () => {
    if (next >= end) {
      end = Number(take.get()?.["value"]);
      next = end - NUMBERS_AT_ONCE;
    }
    return next++;
  };
}

const NUMBERS_AT_ONCE = 1_024;

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
    if (heading !== last.heading) last = { heading, tokens: words(heading) };
    return last.tokens;
  };
  return {
    add(passage, { text, heading, facts }) {
      insert.run(passage, words(text), headingWords(heading), words(facts));
    },
    remove(passage) {
      const row = read.get(passage);
      if (!row) return;
      remove.run(passage, words(String(row["text"])), words(String(row["heading"])), words(String(row["facts"])));
    },
  };
}

function words(text: string): string {
  return text === "" ? "" : tokeniseToText(text);
}

function prepareClear(database: Database): (source: number) => void {
  const list = database.prepare("SELECT id FROM passages WHERE source = ?");
  const unlink = database.prepare(
    "UPDATE facts SET passage = NULL WHERE passage IN (SELECT id FROM passages WHERE source = ?)",
  );
  const remove = database.prepare("DELETE FROM passages WHERE source = ?");
  const keys = prepareKeys(database);
  return (source) => {
    for (const row of list.all(source)) keys.remove(Number(row["id"]));
    unlink.run(source);
    remove.run(source);
  };
}
