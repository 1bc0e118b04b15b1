import { open } from "node:fs/promises";
import { z } from "zod";
import { textOf } from "../../session/message.ts";
import { parseLine } from "../../session/read-log.ts";

const HEAD_BYTES = 32 * 1024;
const LONGEST_TITLE = 90;
const Titled = z.looseObject({ title: z.string().min(1) });

/** What a session is about: the title that it was given, else how the first person began; empty if that is not to be had. */
export async function readSessionTitle(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return titleIn(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function titleIn(head: Buffer): string {
  for (const text of head.toString("utf8").split("\n")) {
    const line = parseLine(Buffer.from(text), 0);
    if (line?.kind === "metadata") {
      const given = Titled.safeParse(line.metadata.metadata).data?.title;
      if (given !== undefined) return shorten(given);
    }
    if (line?.kind === "message" && line.message.role === "user") {
      const words = shorten(textOf(line.message));
      if (words !== "") return words;
    }
  }
  return "";
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= LONGEST_TITLE) return line;
  return `${line
    .slice(0, LONGEST_TITLE)
    .replace(/[\uD800-\uDBFF]$/, "")
    .replace(/\s\S*$/, "")}…`;
}
