import type { DrawnFact, FactSource } from "../../../search/drawn-fact.ts";
import { hashText } from "../../../search/hash-text.ts";
import type { Query, Tenant } from "../tenant.ts";
import { nextOf, readAbout, writeAbout } from "./about.ts";
import { wordsOf } from "./passage-words.ts";
import { dropWords, putWords, touchBlocks } from "./put-words.ts";

/** Brings the keys of messages up to date with the facts drawn from them; `changed` names sessions with new passages. */
export async function syncFacts(
  tenant: Tenant,
  source: FactSource | undefined,
  changed: readonly string[],
  hasVectors: boolean,
): Promise<void> {
  while (!(await trySync(tenant, source, changed, hasVectors)));
}

/** The facts that the index has; as long as it is the same nobody has put in others, or thrown them away. */
export const FACTS_REVISION = "facts revision";

/** False, with nothing written, where another one changed the facts of the index while they were listed. */
async function trySync(
  tenant: Tenant,
  source: FactSource | undefined,
  changed: readonly string[],
  hasVectors: boolean,
): Promise<boolean> {
  const known = await readAbout(tenant.query, FACTS_REVISION);
  const revision = (await source?.revision()) ?? "";
  const isSame = known === revision;
  if (isSame && changed.length === 0) return true;
  const facts = isSame ? undefined : ((await source?.list()) ?? []);
  return tenant.transact(async (ask) => {
    // The counter's row keeps others from writing the same at the same time.
    await nextOf(ask, "generation", 0);
    // What was listed may be forgotten by now.
    if ((await readAbout(ask, FACTS_REVISION)) !== known) return false;
    const dirty = new Set<number>();
    const sessions = new Set(changed);
    if (facts) for (const session of await replaceFacts(ask, facts, dirty, hasVectors)) sessions.add(session);
    for (const session of sessions) await linkFacts(ask, session, dirty);
    for (const passage of dirty) await rewriteKey(ask, passage);
    if (dirty.size > 0) await nextOf(ask, "facts", 1);
    await touchBlocks(ask, [...dirty]);
    if (facts) await writeAbout(ask, FACTS_REVISION, revision);
    return true;
  });
}

/** Makes the table hold exactly these facts; returns the sessions in which one came or went. */
async function replaceFacts(
  ask: Query,
  facts: readonly DrawnFact[],
  dirty: Set<number>,
  hasVectors: boolean,
): Promise<Set<string>> {
  const touched = new Set<string>();
  const rows = await ask("SELECT session, message, text, hash, passage FROM tidemark_index_facts WHERE workspace = $1");
  const gone = new Map(
    rows.map((row) => [JSON.stringify([row["session"], row["message"], row["text"]]), row] as const),
  );
  for (const { session, message, text } of facts) {
    if (gone.delete(JSON.stringify([session, message, text]))) continue;
    await ask(
      `INSERT INTO tidemark_index_facts (workspace, session, message, text, hash) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [session, message, text, hashText(text)],
    );
    touched.add(session);
  }
  for (const row of gone.values()) {
    const hash = row["hash"] instanceof Uint8Array ? row["hash"] : new Uint8Array();
    await ask("DELETE FROM tidemark_index_facts WHERE workspace = $1 AND session = $2 AND message = $3 AND hash = $4", [
      String(row["session"]),
      String(row["message"]),
      hash,
    ]);
    if (row["passage"] === null) continue;
    const passage = Number(row["passage"]);
    dirty.add(passage);
    if (hasVectors)
      await ask("DELETE FROM tidemark_index_places WHERE workspace = $1 AND passage = $2 AND hash = $3", [
        passage,
        hash,
      ]);
  }
  return touched;
}

/** Ties the facts of a session to the first passages of their messages. */
async function linkFacts(ask: Query, session: string, dirty: Set<number>): Promise<void> {
  const linked = await ask(
    `UPDATE tidemark_index_facts f SET passage = first.id FROM (
       SELECT p.message, min(p.id) AS id FROM tidemark_index_passages p
       JOIN tidemark_index_sources s ON s.workspace = p.workspace AND s.id = p.source
       WHERE p.workspace = $1 AND s.session = $2 AND p.message <> '' GROUP BY p.message) AS first
     WHERE f.workspace = $1 AND f.session = $2 AND f.passage IS NULL AND f.message = first.message RETURNING f.passage`,
    [session],
  );
  for (const row of linked) dirty.add(Number(row["passage"]));
}

async function rewriteKey(ask: Query, passage: number): Promise<void> {
  const [row] = await ask("SELECT text, heading, facts FROM tidemark_index_passages WHERE workspace = $1 AND id = $2", [
    passage,
  ]);
  if (row === undefined) return;
  const rows = await ask(
    'SELECT text FROM tidemark_index_facts WHERE workspace = $1 AND passage = $2 ORDER BY text COLLATE "C"',
    [passage],
  );
  const facts = rows.map((each) => String(each["text"])).join("\n");
  const key = { text: String(row["text"]), heading: String(row["heading"]) };
  const words = wordsOf({ ...key, facts });
  await ask("UPDATE tidemark_index_passages SET facts = $3, words = $4 WHERE workspace = $1 AND id = $2", [
    passage,
    facts,
    words.length,
  ]);
  await dropWords(ask, [{ passage, words: wordsOf({ ...key, facts: String(row["facts"]) }) }]);
  await putWords(ask, [{ passage, words }]);
}
