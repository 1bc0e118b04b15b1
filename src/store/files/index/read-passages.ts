import type { Database } from "../database.ts";
import { unpackVector } from "../../../search/dot-product.ts";
import { VOICES } from "../../../language/speech-kind.ts";
import { formatWallDate } from "../../../search/passage.ts";
import type { FoundPassage, SearchSize } from "../../../search/search.ts";

/** Reads passages by number, in the order asked for; one that is gone is left out. */
export function readPassages(database: Database, passages: readonly number[]): FoundPassage[] {
  const read = database.prepare(`
    SELECT s.path, s.session, p.first_line, p.last_line, p.message, p.wall_ms, p.is_whole_day, h.text AS heading,
      p.text, p.speaker, p.voice
    FROM passages p JOIN sources s ON s.id = p.source JOIN headings h ON h.id = p.heading WHERE p.id = ?`);
  return passages.flatMap((id) => {
    const row = read.get(id);
    if (!row) return [];
    return [
      {
        id,
        path: String(row["path"]),
        startLine: Number(row["first_line"]),
        endLine: Number(row["last_line"]),
        session: String(row["session"]),
        messages: row["message"] === "" ? [] : [String(row["message"])],
        date: row["wall_ms"] === null ? null : formatWallDate(Number(row["wall_ms"]), row["is_whole_day"] === 1),
        heading: String(row["heading"]),
        text: String(row["text"]),
        speaker: String(row["speaker"]),
        voice: VOICES[Number(row["voice"])] ?? "file",
      },
    ];
  });
}

/** The vectors that one embedder gave to passages, in the order asked for. */
export function readVectors(
  database: Database,
  embedder: number,
  passages: readonly number[],
): (Float32Array | undefined)[] {
  const read = database.prepare(
    `SELECT v.vector, e.dimensions FROM passages p JOIN vectors v ON v.hash = p.hash AND v.embedder = ?
     JOIN embedders e ON e.id = v.embedder WHERE p.id = ?`,
  );
  return passages.map((id) => {
    const row = read.get(embedder, id);
    return row?.["vector"] instanceof Uint8Array ? unpackVector(row["vector"], Number(row["dimensions"])) : undefined;
  });
}

/** Counts what is in the index. */
export function countIndex(database: Database): SearchSize {
  const row = database
    .prepare(
      `SELECT (SELECT count(*) FROM sources WHERE is_gone = 0) AS sources, (SELECT count(*) FROM passages) AS passages,
       (SELECT count(*) FROM vectors) AS vectors`,
    )
    .get();
  return {
    sources: Number(row?.["sources"]),
    passages: Number(row?.["passages"]),
    vectors: Number(row?.["vectors"]),
  };
}
