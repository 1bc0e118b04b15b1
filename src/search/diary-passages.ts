import { parseIfJson } from "../parse-if-json.ts";
import { z } from "zod";
import { markdownPassages } from "./markdown-passages.ts";
import type { PassageLimits } from "./markdown-passages.ts";
import type { Passage } from "./passage.ts";

const Entry = z.looseObject({ timestamp: z.string().optional().catch(undefined), content: z.string() });

/** The passages of a diary that has an entry a line, as JSON; lines that hold none are passed over. */
export function diaryPassages(text: string, path: string, limits: PassageLimits): Passage[] {
  let unit = 0;
  return text.split("\n").flatMap((line, index) => {
    const entry = readDiaryLine(line);
    if (entry === undefined) return [];
    const passages = markdownPassages(entry, path, limits).map((passage) => ({
      ...passage,
      unit,
      startLine: index + 1,
      endLine: index + 1,
    }));
    if (passages.length > 0) unit += 1;
    return passages;
  });
}

/** One entry in the form of our own diary, on one line; undefined for a line that holds none. */
export function readDiaryLine(line: string): string | undefined {
  const entry = Entry.safeParse(parseIfJson(line)).data;
  if (!entry) return undefined;
  const lines = entry.content.split("\n").map((part) => part.trim());
  const words = lines.filter((part) => part !== "").join(" ");
  const { timestamp } = entry;
  if (timestamp === undefined || /^\[\d{4}-\d{2}-\d{2}/.test(words)) return words;
  return `[${timestamp.replace("T", " ").slice(0, 16)}] ${words}`;
}
