import { isUtf8 } from "node:buffer";

/** A text that may hold lines in another encoding, and the way back to its bytes. */
export interface MixedText {
  text: string;
  /** The bytes of a text that has some of these lines: each of them as it was. */
  toBytes: (text: string) => Buffer;
}

/** Reads a file line by line: one that is not UTF-8 is taken for Latin-1, which loses no byte. */
export function readMixedText(bytes: Buffer): MixedText {
  if (isUtf8(bytes)) return { text: bytes.toString("utf8"), toBytes: (text) => Buffer.from(text) };
  const foreign = new Set<string>();
  const lines = bytes
    .toString("latin1")
    .split("\n")
    .map((line) => {
      const own = Buffer.from(line, "latin1");
      if (isUtf8(own)) return own.toString("utf8");
      foreign.add(line);
      return line;
    });
  const lineBytes = (line: string) => Buffer.from(line, foreign.has(line) ? "latin1" : "utf8");
  return {
    text: lines.join("\n"),
    toBytes: (text) =>
      Buffer.concat(text.split("\n").flatMap((line, at) => [Buffer.from(at === 0 ? "" : "\n"), lineBytes(line)])),
  };
}
