import { BLOCK_ROWS } from "../../../search/packed-vector.ts";
import type { Query } from "../tenant.ts";
import { nextOf } from "./about.ts";
import { PASSAGES_OF_ROW } from "./passage-words.ts";
import type { PassageWords } from "./passage-words.ts";

/** A passage, and the words that it has. */
export interface WordedPassage {
  readonly passage: number;
  readonly words: PassageWords;
}

/** Where a word stands in the passages of one row: pairs of which passage of the row, and which place there. */
interface TokenRow {
  readonly token: string;
  readonly block: number;
  passages: number;
  readonly pairs: number[];
}

/** Writes down where the words of passages stand; the caller is in a transaction, and they were not there before. */
export async function putWords(ask: Query, worded: readonly WordedPassage[]): Promise<void> {
  const rows = [...gatherRows(worded).values()];
  if (rows.length === 0) return;
  await ask(
    `INSERT INTO tidemark_index_tokens AS known (workspace, token, block, passages, places)
     SELECT $1, new.token, new.block, new.passages, decode(new.places, 'hex')
     FROM unnest($2::text[], $3::int[], $4::int[], $5::text[]) AS new (token, block, passages, places)
     ON CONFLICT (workspace, token, block) DO UPDATE
       SET passages = known.passages + excluded.passages, places = known.places || excluded.places`,
    columnsOf(rows),
  );
}

/** Takes the words of passages away; the caller is in a transaction, and these are the words that were put. */
export async function dropWords(ask: Query, worded: readonly WordedPassage[]): Promise<void> {
  const dropped = gatherRows(worded);
  if (dropped.size === 0) return;
  const [tokens, blocks] = columnsOf([...dropped.values()]);
  const found = await ask(
    `SELECT known.token, known.block, known.places FROM unnest($2::text[], $3::int[]) AS old (token, block)
     JOIN tidemark_index_tokens known ON known.workspace = $1 AND known.token = old.token AND known.block = old.block`,
    [tokens, blocks],
  );
  const left = found.map((row): TokenRow => {
    const [token, block] = [String(row["token"]), Number(row["block"])];
    const gone = new Set(dropped.get(nameOf(token, block))?.pairs.filter((_, index) => index % 2 === 0));
    const pairs = readPairs(row["places"]).filter((_, index, all) => !gone.has(all[index - (index % 2)] ?? -1));
    const passages = new Set(pairs.filter((_, index) => index % 2 === 0)).size;
    return { token, block, passages, pairs };
  });
  const [empty, shorter] = [left.filter(({ passages }) => passages === 0), left.filter(({ passages }) => passages > 0)];
  if (empty.length > 0)
    await ask(
      `DELETE FROM tidemark_index_tokens known USING unnest($2::text[], $3::int[]) AS old (token, block)
       WHERE known.workspace = $1 AND known.token = old.token AND known.block = old.block`,
      columnsOf(empty).slice(0, 2),
    );
  if (shorter.length > 0)
    await ask(
      `UPDATE tidemark_index_tokens known SET passages = new.passages, places = decode(new.places, 'hex')
       FROM unnest($2::text[], $3::int[], $4::int[], $5::text[]) AS new (token, block, passages, places)
       WHERE known.workspace = $1 AND known.token = new.token AND known.block = new.block`,
      columnsOf(shorter),
    );
}

/** Says that something about passages has changed, so that whoever keeps them in memory reads them again. */
export async function touchBlocks(ask: Query, passages: readonly number[]): Promise<void> {
  if (passages.length === 0) return;
  const firsts = [...new Set(passages.map((passage) => passage - (passage % BLOCK_ROWS)))];
  await ask(
    `INSERT INTO tidemark_index_blocks (workspace, first, version) SELECT $1, first, $2 FROM unnest($3::bigint[]) AS new (first)
     ON CONFLICT (workspace, first) DO UPDATE SET version = excluded.version`,
    // Until the transaction ends nobody else can take a number: whoever knows one knows all before it.
    [await nextOf(ask, "blocks", 1), firsts],
  );
}

/** The numbers in what a word's row keeps. */
export function readPairs(places: unknown): number[] {
  if (!(places instanceof Uint8Array)) return [];
  const view = new DataView(places.buffer, places.byteOffset, places.byteLength);
  return Array.from({ length: places.byteLength >> 1 }, (_, index) => view.getUint16(index * 2, true));
}

function gatherRows(worded: readonly WordedPassage[]): Map<string, TokenRow> {
  const rows = new Map<string, TokenRow>();
  for (const { passage, words } of worded) {
    const block = Math.floor(passage / PASSAGES_OF_ROW);
    const slot = passage % PASSAGES_OF_ROW;
    for (const [token, places] of words.places) {
      const name = nameOf(token, block);
      let row = rows.get(name);
      if (row === undefined) rows.set(name, (row = { token, block, passages: 0, pairs: [] }));
      row.passages++;
      for (const place of places) row.pairs.push(slot, place);
    }
  }
  return rows;
}

function nameOf(token: string, block: number): string {
  return `${block} ${token}`;
}

function columnsOf(rows: readonly TokenRow[]): [string[], number[], number[], string[]] {
  return [
    rows.map(({ token }) => token),
    rows.map(({ block }) => block),
    rows.map(({ passages }) => passages),
    rows.map(({ pairs }) => Buffer.from(Uint16Array.from(pairs).buffer).toString("hex")),
  ];
}
