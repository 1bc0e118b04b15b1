import { z } from "zod";
import { textOf } from "../../session/message.ts";
import { parseLine } from "../../session/log-line.ts";
import type { SessionLogs } from "../../store/session-logs.ts";
import { shorten } from "../../visible-text.ts";

const HEAD_BYTES = 32 * 1024;
const LONGEST_TITLE = 90;
const Titled = z.looseObject({ title: z.string().min(1) });

/** What a session is about: the title that it was given, else how the first person began; empty if that is not to be had. */
export async function readSessionTitle(logs: SessionLogs, path: string): Promise<string> {
  return titleIn((await logs.readLines(path, HEAD_BYTES)) ?? "");
}

function titleIn(head: string): string {
  for (const text of head.split("\n")) {
    const line = parseLine(Buffer.from(text), 0);
    if (line?.kind === "metadata") {
      const given = Titled.safeParse(line.metadata.metadata).data?.title;
      if (given !== undefined) return titleOf(given);
    }
    if (line?.kind === "message" && line.message.role === "user") {
      const words = titleOf(textOf(line.message));
      if (words !== "") return words;
    }
  }
  return "";
}

function titleOf(text: string): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), LONGEST_TITLE);
}
