import { hasTimeFilter } from "../../../search/unit.ts";
import type { UnitSource } from "../../../search/unit.ts";
import type { SearchFilter } from "../../../search/search.ts";
import type { Row } from "../engine.ts";
import type { Query } from "../tenant.ts";

/** The vector of a question, as pgvector reads it, and whose vectors it is compared with. */
export interface Asked {
  readonly embedder: string;
  readonly vector: string;
}

const COLUMNS = "p.id, p.source, p.unit, p.wall_ms, p.voice, p.kind, p.speaker, p.size";

/** The best cosine of a passage: its own, or that of a fact drawn from it; `$2` the vector, `$3` the embedder. */
const COSINE = `(SELECT max(-(v.vector <#> $2::halfvec)) FROM tidemark_index_places v
  WHERE v.workspace = $1 AND v.embedder = $3 AND v.passage = p.id) AS cosine`;
const NO_COSINE = "NULL::float8 AS cosine, $2::text AS no_vector, $3::text AS no_embedder";

function selectWith(asked: Asked | undefined): string {
  return `SELECT ${COLUMNS}, ${asked ? COSINE : NO_COSINE}`;
}

/** Passages by number, without their words. */
export async function readPassageRows(
  ask: Query,
  passages: readonly number[],
  asked: Asked | undefined,
): Promise<Row[]> {
  return ask(
    `${selectWith(asked)} FROM tidemark_index_passages p WHERE p.workspace = $1 AND p.id = ANY ($4::bigint[])`,
    [asked?.vector ?? null, asked?.embedder ?? null, passages],
  );
}

/** The passages of stretches of units, under the name of each. */
export async function readStretches(
  ask: Query,
  wanted: ReadonlyMap<string, readonly [number, number, number]>,
  asked: Asked | undefined,
  known: Map<string, Row[]>,
  note: (row: Row) => void,
): Promise<void> {
  const list = [...wanted];
  const rows = await ask(
    `${selectWith(asked)}, asked.place FROM unnest($4::bigint[], $5::int[], $6::int[]) WITH ORDINALITY
       AS asked (source, first, last, place)
     JOIN tidemark_index_passages p ON p.workspace = $1 AND p.source = asked.source
       AND p.unit BETWEEN asked.first AND asked.last ORDER BY asked.place, p.unit, p.id`,
    [
      asked?.vector ?? null,
      asked?.embedder ?? null,
      list.map(([, [source]]) => source),
      list.map(([, [, first]]) => first),
      list.map(([, [, , last]]) => last),
    ],
  );
  for (const [name] of list) known.set(name, []);
  for (const row of rows) {
    note(row);
    known.get(list[Number(row["place"]) - 1]?.[0] ?? "")?.push(row);
  }
}

/** The likest passages, best first; facts stand for their passages, so that more than `count` rows may be needed. */
export async function readLikest(
  ask: Query,
  { embedder, vector }: Asked,
  count: number,
): Promise<{ passages: number[]; isAll: boolean }> {
  for (let limit = count; ; limit *= 2) {
    const rows = await ask(
      `SELECT passage FROM tidemark_index_places WHERE workspace = $1 AND embedder = $2
       ORDER BY vector <#> $3::halfvec LIMIT $4`,
      [embedder, vector, limit],
    );
    const passages = [...new Set(rows.map((row) => Number(row["passage"])))];
    const isAll = rows.length < limit;
    if (isAll || passages.length >= count) return { passages, isAll };
  }
}

/** The passages that a filter lets through. */
export async function readAllowed(
  ask: Query,
  { project, scopes, sinceMs, untilMs }: SearchFilter,
  asked: Asked | undefined,
): Promise<Row[]> {
  return ask(
    `${selectWith(asked)} FROM tidemark_index_sources s
     JOIN tidemark_index_passages p ON p.workspace = s.workspace AND p.source = s.id
     WHERE s.workspace = $1 AND ($4::text IS NULL OR s.project = $4)
       AND ($5::text[] IS NULL OR starts_with(s.path, 'docs/') OR s.scope = ANY ($5))
       AND (NOT $6 OR p.wall_ms BETWEEN $7 AND $8)`,
    [
      asked?.vector ?? null,
      asked?.embedder ?? null,
      project ?? null,
      scopes ?? null,
      hasTimeFilter({ sinceMs, untilMs }),
      Math.floor(Math.max(sinceMs ?? -Infinity, Number.MIN_SAFE_INTEGER)),
      Math.ceil(Math.min(untilMs ?? Infinity, Number.MAX_SAFE_INTEGER)),
    ],
  );
}

/** Reads the sources of passages that are not known yet. */
export async function readSources(
  ask: Query,
  rows: readonly (Row | undefined)[],
  sources: Map<number, UnitSource>,
): Promise<void> {
  const wanted = new Set<number>();
  for (const row of rows) if (row && !sources.has(Number(row["source"]))) wanted.add(Number(row["source"]));
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
