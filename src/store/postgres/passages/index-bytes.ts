import type { Query } from "../tenant.ts";

/** How much the rows of a workspace's index take; those of others in the same tables and indexes are not counted. */
export async function indexBytes(ask: Query, hasVectors: boolean): Promise<number> {
  const tables = ["index_passages", "index_tokens", ...(hasVectors ? ["index_places"] : [])];
  const sums = tables.map(
    (table) =>
      `coalesce((SELECT sum(pg_column_size(each.*)) FROM tidemark_${table} each WHERE each.workspace = $1), 0)`,
  );
  const [row] = await ask(`SELECT ${sums.join(" + ")} AS bytes`);
  return Number(row?.["bytes"] ?? 0);
}
