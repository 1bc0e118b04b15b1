import { oneLine } from "../language/one-line.ts";
import type { Relation } from "../language/packs.ts";
import { trimEnd } from "../language/trim-end.ts";
import type { Topic } from "./reader.ts";

/** Something that the user said, as it is kept: their own words, and where and when they were said. */
export interface Quotation {
  words: string;
  /** Who or what it is about, where the words do not say it. */
  subject: string | undefined;
  /** What "next Friday" and the like meant when it was said. */
  dates: readonly string[];
  topic: Topic;
  /** What it says of the user, where a person has one of it at a time; of an appointment, which one. */
  relation: Relation | `appointment ${string}` | undefined;
  isDenial: boolean;
  /** About the user themself. */
  isOwn: boolean;
  /** The day on which it was said. */
  saidOn: string | undefined;
  /** The message, and the words in it that bear it out. */
  message: string;
  evidence: string;
}

const LONGEST = 300;

/** A quotation as a line of memory: `Ada: “she's five” [2026-05-08] (2026-05-03)`. */
export function formatQuotation({ words, subject, dates, saidOn }: Quotation): string {
  const said = oneLine(words);
  const short = said.length > LONGEST ? `${said.slice(0, LONGEST).trimEnd()}…` : said;
  return [
    `${subject === undefined ? "" : `${subject}: `}“${short}”`,
    ...(dates.length === 0 ? [] : [`[${dates.join(", ")}]`]),
    ...(saidOn === undefined ? [] : [`(${saidOn})`]),
  ].join(" ");
}

/** A line of memory that is a quotation, taken apart. */
export interface QuotedLine {
  subject: string | undefined;
  words: string;
  saidOn: string | undefined;
  /** Why it is not so any more. */
  earlier: string | undefined;
}

const LINE = /^(?:([^“”:]{1,60}): )?“(.+)”(?: \[[^\]]*\])?(?: \((\d{4}-\d{2}-\d{2})\))?(?: \(earlier: (.+)\))?$/su;

/** Reads a line of memory as a quotation; undefined for what a person or a model worded. */
export function parseQuotation(line: string): QuotedLine | undefined {
  const [, subject, words, saidOn, earlier] = LINE.exec(line.trim()) ?? [];
  return words === undefined ? undefined : { subject, words, saidOn, earlier };
}

/** The line with the words after which it is not so any more. It stays: what was so once may be asked for. */
export function markEarlier(line: string, { words, saidOn }: Pick<Quotation, "words" | "saidOn">): string {
  const until = saidOn === undefined ? "" : `until ${saidOn}, `;
  return `${line} (earlier: ${until}“${trimEnd(oneLine(words), /[.!\s]/)}”)`;
}
