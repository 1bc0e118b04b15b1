import type { Database } from "../../store/files/database.ts";
import { unpackVector } from "../../search/packed-vector.ts";
import { formatWallDate, unpackTraits } from "../../search/passage.ts";
import type { FoundPassage, SearchSize } from "../../search/search.ts";
import { countVectors, readVectorsOf } from "./vector-blocks.ts";

/** Reads passages by number, in the order asked for; one that is gone is left out. */
export function readPassages(database: Database, passages: readonly number[]): FoundPassage[] {
  const read = database.prepare(`
    SELECT p.id, s.path, s.session, p.first_line, p.more_lines, p.message, p.wall_s, p.traits, h.text, p.text, p.speaker
    FROM passages p JOIN sources s ON s.id = p.source JOIN headings h ON h.id = p.heading
    WHERE p.id IN (SELECT value FROM json_each(?))`);
  read.setReturnArrays(true);
  const found = new Map<number, FoundPassage>();
  for (const row of read.all(JSON.stringify(passages))) {
    const passage = toPassage(row);
    found.set(passage.id, passage);
  }
  return passages.flatMap((id) => found.get(id) ?? []);
}

function toPassage(row: Record<number, unknown>): FoundPassage {
  const { isWholeDay, voice } = unpackTraits(Number(row[7]));
  return {
    id: Number(row[0]),
    path: String(row[1]),
    startLine: Number(row[3]),
    endLine: Number(row[3]) + Number(row[4]),
    session: String(row[2]),
    messages: row[5] === "" ? [] : [String(row[5])],
    date: row[6] === null ? null : formatWallDate(Number(row[6]) * 1_000, isWholeDay),
    heading: String(row[8]),
    text: String(row[9]),
    speaker: String(row[10]),
    voice,
  };
}

/** The vectors that one embedder gave to passages, in the order asked for. */
export function readVectors(
  database: Database,
  embedder: { readonly number: number; readonly dimensions: number },
  passages: readonly number[],
): (Float32Array | undefined)[] {
  const vectors = readVectorsOf(database, embedder, passages);
  return passages.map((passage) => {
    const vector = vectors.get(passage);
    return vector && unpackVector(vector, embedder.dimensions);
  });
}

/** How many passages the index has. */
export function countPassages(database: Database): number {
  return Number(database.prepare("SELECT count(*) AS count FROM passages").get()?.["count"]);
}

/** Counts what is in the index. */
export function countIndex(database: Database): SearchSize {
  const numberOf = (query: string) => Number(database.prepare(`SELECT ${query} AS number`).get()?.["number"]);
  return {
    sources: numberOf("(SELECT count(*) FROM sources)"),
    passages: countPassages(database),
    bytes: numberOf("(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)"),
    vectors: countVectors(database).reduce((sum, { vectors }) => sum + vectors, 0),
  };
}
