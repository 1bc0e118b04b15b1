import { hasTimeFilter } from "../../../search/unit.ts";
import type { UnitSource } from "../../../search/unit.ts";
import type { SearchFilter } from "../../../search/search.ts";
import { textIn } from "../engine.ts";
import type { Row } from "../engine.ts";
import type { Query } from "../tenant.ts";

/** The vector of a question, as pgvector reads it, and whose vectors it is compared with. */
export interface Asked {
  readonly embedder: string;
  readonly vector: string;
}

/** A passage, without its words. */
export interface PassageRow {
  readonly id: number;
  readonly source: number;
  readonly unit: number;
  readonly wallMs: number | undefined;
  readonly traits: number;
  readonly size: number;
  /** The best of its own and of those of facts drawn from it. */
  readonly cosine: number | undefined;
  readonly speaker: string;
}

// Thousands of rows take the driver longer than the database: they come as one text, with signs between that no text has.
const FIELD = "\u001f";
const ROW = "\u001e";
const FIELDS = `concat_ws(E'\\x1f', p.id, p.source, p.unit, coalesce(p.wall_s::text, ''), p.traits, p.size`;
const SPEAKER = `translate(p.speaker, E'\\x1e\\x1f', '')`;
/** `$2` the vector, `$3` the embedder. */
const COSINE = `coalesce((SELECT max(-(v.vector <#> $2::halfvec)) FROM tidemark_index_places v
  WHERE v.workspace = $1 AND v.embedder = $3 AND v.passage = p.id)::text, '')`;

/** All that follows FROM as one text; without a question's vector its place is empty. */
function selectWith(asked: Asked | undefined, order = ""): string {
  const fields = `${FIELDS}, ${asked ? COSINE : "''"}, ${SPEAKER})`;
  return `SELECT string_agg(${fields}, E'\\x1e'${order}) AS passages, $2::text AS vector_asked, $3::text AS embedder_asked`;
}

function parseRows(rows: readonly Row[]): PassageRow[] {
  const text = textIn(rows[0], "passages");
  return text === "" ? [] : text.split(ROW).map(parseRow);
}

function parseRow(text: string): PassageRow {
  const [id, source, unit, wall, traits, size, cosine, speaker = ""] = text.split(FIELD);
  return {
    id: Number(id),
    source: Number(source),
    unit: Number(unit),
    wallMs: wall === "" ? undefined : Number(wall) * 1_000,
    traits: Number(traits),
    size: Number(size),
    cosine: cosine === "" ? undefined : Number(cosine),
    speaker,
  };
}

/** Passages by number, without their cosines: how like they are is asked only of the units that are chosen. */
export async function readPassageRows(ask: Query, passages: readonly number[]): Promise<PassageRow[]> {
  return parseRows(
    await ask(
      `${selectWith(undefined)} FROM tidemark_index_passages p WHERE p.workspace = $1 AND p.id = ANY ($4::bigint[])`,
      [null, null, passages],
    ),
  );
}

/** The passages of stretches of units: source, first and last; in the order of units. */
export async function readStretches(
  ask: Query,
  stretches: readonly (readonly [number, number, number])[],
  asked: Asked | undefined,
): Promise<PassageRow[]> {
  return parseRows(
    await ask(
      `${selectWith(asked, " ORDER BY p.source, p.unit, p.id")}
       FROM unnest($4::bigint[], $5::int[], $6::int[]) AS asked (source, first, last)
       JOIN tidemark_index_passages p ON p.workspace = $1 AND p.source = asked.source
         AND p.unit BETWEEN asked.first AND asked.last`,
      [
        asked?.vector ?? null,
        asked?.embedder ?? null,
        stretches.map(([source]) => source),
        stretches.map(([, first]) => first),
        stretches.map(([, , last]) => last),
      ],
    ),
  );
}

/** The likest passages, best first; facts stand for their passages, so that more than `count` rows may be needed. */
export async function readLikest(
  ask: Query,
  { embedder, vector }: Asked,
  count: number,
): Promise<{ passages: number[]; isAll: boolean }> {
  for (let limit = count; ; limit *= 2) {
    const rows = await ask(
      `SELECT string_agg(passage::text, ',' ORDER BY likeness) AS passages FROM (
         SELECT passage, vector <#> $3::halfvec AS likeness FROM tidemark_index_places
         WHERE workspace = $1 AND embedder = $2 ORDER BY likeness LIMIT $4) AS likest`,
      [embedder, vector, limit],
    );
    const found = textIn(rows[0], "passages");
    const all = found === "" ? [] : found.split(",").map(Number);
    const passages = [...new Set(all)];
    const isAll = all.length < limit;
    if (isAll || passages.length >= count) return { passages, isAll };
  }
}

/** The passages that a filter lets through. */
export async function readAllowed(
  ask: Query,
  { project, scopes, sinceMs, untilMs }: SearchFilter,
  asked: Asked | undefined,
): Promise<PassageRow[]> {
  return parseRows(
    await ask(
      `${selectWith(asked)} FROM tidemark_index_sources s
       JOIN tidemark_index_passages p ON p.workspace = s.workspace AND p.source = s.id
       WHERE s.workspace = $1 AND ($4::text IS NULL OR s.project = $4)
         AND ($5::text[] IS NULL OR starts_with(s.path, 'docs/') OR s.scope = ANY ($5))
         AND (NOT $6 OR p.wall_s * 1000 BETWEEN $7 AND $8)`,
      [
        asked?.vector ?? null,
        asked?.embedder ?? null,
        project ?? null,
        scopes ?? null,
        hasTimeFilter({ sinceMs, untilMs }),
        Math.floor(Math.max(sinceMs ?? -Infinity, Number.MIN_SAFE_INTEGER)),
        Math.ceil(Math.min(untilMs ?? Infinity, Number.MAX_SAFE_INTEGER)),
      ],
    ),
  );
}

/** Reads the sources of passages that are not known yet. */
export async function readSources(
  ask: Query,
  rows: readonly (PassageRow | undefined)[],
  sources: Map<number, UnitSource>,
): Promise<void> {
  const wanted = new Set<number>();
  for (const row of rows) if (row && !sources.has(row.source)) wanted.add(row.source);
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
