import type { DrawnFact, FactSource } from "../../search/drawn-fact.ts";
import { transact } from "../../store/files/database.ts";
import type { Database } from "../../store/files/database.ts";
import { raiseAbout, readAbout, writeAbout } from "./schema.ts";
import { hashText } from "../../search/hash-text.ts";
import { prepareKeys } from "./write-source.ts";

/** Brings the keys of messages up to date with the facts drawn from them; `changed` names sessions with new passages. */
export async function syncFacts(
  database: Database,
  source: FactSource | undefined,
  changed: readonly string[],
): Promise<void> {
  const version = (await source?.version()) ?? "";
  const isSame = readAbout(database, "facts_version") === version;
  if (isSame && !hasUnlinked(database, changed)) return;
  const facts = isSame ? [] : ((await source?.list()) ?? []);
  transact(database, () => {
    const dirty = new Set<number>();
    const sessions = new Set(changed);
    if (!isSame) for (const session of replaceFacts(database, facts, dirty)) sessions.add(session);
    for (const session of sessions) linkFacts(database, session, dirty);
    rewriteKeys(database, dirty);
    writeAbout(database, "facts_version", version);
    raiseAbout(database, "facts");
  });
}

function hasUnlinked(database: Database, sessions: readonly string[]): boolean {
  const unlinked = database.prepare("SELECT 1 FROM facts WHERE session = ? AND passage IS NULL LIMIT 1");
  return sessions.some((session) => unlinked.get(session) !== undefined);
}

/** Makes the table hold exactly these facts; returns the sessions in which one came or went. */
function replaceFacts(database: Database, facts: readonly DrawnFact[], dirty: Set<number>): Set<string> {
  const touched = new Set<string>();
  const gone = new Map<string, { fact: DrawnFact; passage: unknown }>();
  for (const row of database.prepare("SELECT session, message, text, passage FROM facts").all()) {
    const fact = { session: String(row["session"]), message: String(row["message"]), text: String(row["text"]) };
    gone.set(keyOf(fact), { fact, passage: row["passage"] });
  }
  const insert = database.prepare("INSERT OR IGNORE INTO facts VALUES (?, ?, ?, ?, NULL)");
  for (const fact of facts) {
    if (gone.delete(keyOf(fact))) continue;
    const { changes } = insert.run(fact.session, fact.message, fact.text, hashText(fact.text));
    if (changes > 0) touched.add(fact.session);
  }
  const remove = database.prepare("DELETE FROM facts WHERE session = ? AND message = ? AND text = ?");
  for (const { fact, passage } of gone.values()) {
    remove.run(fact.session, fact.message, fact.text);
    if (typeof passage === "number") dirty.add(passage);
  }
  return touched;
}

function keyOf({ session, message, text }: DrawnFact): string {
  return JSON.stringify([session, message, text]);
}

/** Ties the facts of a session to the first passages of their messages. */
function linkFacts(database: Database, session: string, dirty: Set<number>): void {
  const facts = database.prepare("SELECT message, text FROM facts WHERE session = ? AND passage IS NULL").all(session);
  if (facts.length === 0) return;
  const passages = new Map(
    database
      .prepare(
        `SELECT p.message, min(p.id) AS id FROM passages p JOIN sources s ON s.id = p.source
         WHERE s.session = ? AND p.message <> '' GROUP BY p.message`,
      )
      .all(session)
      .map((row) => [String(row["message"]), Number(row["id"])]),
  );
  const link = database.prepare("UPDATE facts SET passage = ? WHERE session = ? AND message = ? AND text = ?");
  for (const fact of facts) {
    const passage = passages.get(String(fact["message"]));
    if (passage === undefined) continue;
    link.run(passage, session, String(fact["message"]), String(fact["text"]));
    dirty.add(passage);
  }
}

function rewriteKeys(database: Database, passages: ReadonlySet<number>): void {
  const read = database.prepare(
    "SELECT p.text, h.text AS heading FROM passages p JOIN headings h ON h.id = p.heading WHERE p.id = ?",
  );
  const factsOf = database.prepare("SELECT text FROM facts WHERE passage = ? ORDER BY text");
  const remember = database.prepare("UPDATE passages SET facts = ? WHERE id = ?");
  const keys = prepareKeys(database);
  for (const id of passages) {
    const passage = read.get(id);
    if (!passage) continue;
    const facts = factsOf
      .all(id)
      .map((row) => String(row["text"]))
      .join("\n");
    keys.remove(id);
    remember.run(facts, id);
    keys.add(id, { text: String(passage["text"]), heading: String(passage["heading"]), facts });
  }
}
