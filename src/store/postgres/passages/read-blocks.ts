import { BLOCK_ROWS } from "../../../search/packed-vector.ts";
import type { PassageRow } from "../../../search/passage-table.ts";
import type { UnitSource } from "../../../search/unit.ts";
import { textIn } from "../engine.ts";
import type { Query } from "../tenant.ts";
import { parsePassageRow, ROW } from "../../parse-passage-row.ts";

/** A block of passages, by the first that may be in it, and the change that was the last one there. */
export interface ChangedBlock {
  readonly first: number;
  readonly version: number;
}

/** The blocks in which something changed after a version. */
export async function readChangedBlocks(ask: Query, version: number): Promise<ChangedBlock[]> {
  const rows = await ask("SELECT first, version FROM tidemark_index_blocks WHERE workspace = $1 AND version > $2", [
    version,
  ]);
  return rows.map((row) => ({ first: Number(row["first"]), version: Number(row["version"]) }));
}

// Thousands of rows take the driver longer than the database: they come as one text, with signs between that no text has.
const READ_BLOCKS = `
  SELECT string_agg(concat_ws(E'\\x1f', p.id, p.source, p.unit, coalesce(p.wall_s::text, ''), p.traits, p.size, p.words,
    translate(p.speaker, E'\\x1e\\x1f', '')), E'\\x1e') AS passages
  FROM tidemark_index_passages p WHERE p.workspace = $1 AND p.id >= $2 AND p.id < $3`;

/** All passages of blocks. */
export async function readBlocks(ask: Query, firsts: readonly number[]): Promise<PassageRow[]> {
  const found: PassageRow[] = [];
  for (const { from, to } of stretchesOf(firsts)) {
    const [row] = await ask(READ_BLOCKS, [from, to]);
    const text = textIn(row, "passages");
    if (text !== "") for (const part of text.split(ROW)) found.push(parsePassageRow(part, Number));
  }
  return found;
}

const BLOCKS_AT_ONCE = 64;

/** Blocks that follow each other, as stretches of passages that can be read at once: `to` no longer belongs to one. */
export function stretchesOf(firsts: readonly number[]): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (const first of firsts.toSorted((one, other) => one - other)) {
    const last = stretches.at(-1);
    if (last?.to === first && first - last.from < BLOCKS_AT_ONCE * BLOCK_ROWS) last.to = first + BLOCK_ROWS;
    else stretches.push({ from: first, to: first + BLOCK_ROWS });
  }
  return stretches;
}

/** Reads the sources that are not known yet; what is kept of one never changes. */
export async function readSources(ask: Query, ids: Iterable<number>, sources: Map<number, UnitSource>): Promise<void> {
  const wanted = new Set<number>();
  for (const id of ids) if (!sources.has(id)) wanted.add(id);
  if (wanted.size === 0) return;
  const found = await ask(
    `SELECT id, path, project, session, scope FROM tidemark_index_sources
     WHERE workspace = $1 AND id = ANY ($2::bigint[])`,
    [[...wanted]],
  );
  for (const row of found)
    sources.set(Number(row["id"]), {
      path: String(row["path"]),
      project: String(row["project"]),
      session: String(row["session"]),
      scope: String(row["scope"]),
    });
}
