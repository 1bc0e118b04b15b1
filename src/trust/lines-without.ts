import type { ForgetMatch } from "./forget-match.ts";

/** Damaged bytes may be of any encoding: they are read as bytes, and come back as they were. */
export function linesWithout(bytes: Buffer, match: ForgetMatch): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  const kept = lines.filter((line) => !match.hits(Buffer.from(line, "latin1").toString("utf8")) && !match.hits(line));
  return Buffer.from(kept.join("\n"), "latin1");
}
