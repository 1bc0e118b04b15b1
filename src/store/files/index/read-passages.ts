import type { Database } from "../database.ts";
import { unpackVector } from "../../../search/packed-vector.ts";
import { formatWallDate, unpackTraits } from "../../../search/passage.ts";
import type { FoundPassage, SearchSize } from "../../../search/search.ts";
import { countVectors, readVectorsOf } from "./vector-blocks.ts";

/** Reads passages by number, in the order asked for; one that is gone is left out. */
export function readPassages(database: Database, passages: readonly number[]): FoundPassage[] {
  const read = database.prepare(`
    SELECT s.path, s.session, p.first_line, p.more_lines, p.message, p.wall_s, p.traits, h.text AS heading,
      p.text, p.speaker
    FROM passages p JOIN sources s ON s.id = p.source JOIN headings h ON h.id = p.heading WHERE p.id = ?`);
  return passages.flatMap((id) => {
    const row = read.get(id);
    if (!row) return [];
    const { isWholeDay, voice } = unpackTraits(Number(row["traits"]));
    return [
      {
        id,
        path: String(row["path"]),
        startLine: Number(row["first_line"]),
        endLine: Number(row["first_line"]) + Number(row["more_lines"]),
        session: String(row["session"]),
        messages: row["message"] === "" ? [] : [String(row["message"])],
        date: row["wall_s"] === null ? null : formatWallDate(Number(row["wall_s"]) * 1_000, isWholeDay),
        heading: String(row["heading"]),
        text: String(row["text"]),
        speaker: String(row["speaker"]),
        voice,
      },
    ];
  });
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
  return {
    sources: Number(database.prepare("SELECT count(*) AS count FROM sources").get()?.["count"]),
    passages: countPassages(database),
    vectors: countVectors(database).reduce((sum, { vectors }) => sum + vectors, 0),
  };
}
