import { toJson } from "../records/revisions.ts";
import type { Query } from "../tenant.ts";
import { nextOf } from "./about.ts";
import { wordsOf } from "./words.ts";

/** What a passage is found by. */
interface PassageKey {
  readonly passage: number;
  readonly text: string;
  readonly heading: string;
  readonly facts: string;
}

/** Writes down what passages are found by; the caller is in a transaction, and they have no words yet. */
export async function putWords(ask: Query, workspace: string, keys: readonly PassageKey[]): Promise<void> {
  const rows = keys.map((key) => ({ passage: key.passage, ...wordsOf(workspace, key) }));
  await ask(
    `INSERT INTO tidemark_index_words (workspace, passage, tokens, length)
     SELECT $1, new.passage, new.tokens::tsvector, new.length
     FROM json_to_recordset($2::json) AS new (passage bigint, tokens text, length integer)`,
    [toJson(rows)],
  );
  await count(
    ask,
    keys.length,
    rows.reduce((sum, { length }) => sum + length, 0),
  );
}

/** Takes the words of passages away; the caller is in a transaction. */
export async function dropWords(ask: Query, passages: readonly number[]): Promise<void> {
  const rows = await ask(
    "DELETE FROM tidemark_index_words WHERE workspace = $1 AND passage = ANY ($2::bigint[]) RETURNING length",
    [passages],
  );
  await count(ask, -rows.length, -rows.reduce((sum, row) => sum + Number(row["length"]), 0));
}

/** Nobody has to count a large index before he asks it. */
async function count(ask: Query, passages: number, length: number): Promise<void> {
  if (passages === 0) return;
  await nextOf(ask, "passages", passages);
  await nextOf(ask, "length", length);
}
