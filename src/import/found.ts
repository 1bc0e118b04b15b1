import { createHash } from "node:crypto";
import { parseFacts } from "../change/read-outline.ts";
import type { MessageInput } from "../session/message.ts";
import { trimEnd } from "../language/trim-end.ts";

/** A message with an id that is the same each time it is read. */
export type NamedMessage = MessageInput & { id: string };

/** Something that the other agent believed, and where that stands. */
export interface FoundFact {
  text: string;
  heading: string;
  /** The file and line, or the id, in the original. */
  source: string;
  timestamp?: string | number | undefined;
}

/** A text that is kept as it is. */
export interface FoundNote {
  /** Below memory/imported/, with forward slashes. */
  name: string;
  text: string;
}

/** What was left out of one place, and why. */
export interface Skipped {
  /** The file, with a line where there is one. */
  place: string;
  count: number;
  /** `line`, `message`, `file` and so on. */
  what: string;
  why: string;
  /** It could not be read: what it held is not known. */
  isDamage?: true;
}

/** Everything that a reader found in another agent's folder or export. */
export interface Found {
  /** By session, in the order in which they were said. */
  talks: Map<string, NamedMessage[]>;
  titles: Map<string, string>;
  /** How many messages of a session the other agent had digested already. */
  digested: Map<string, number>;
  facts: FoundFact[];
  notes: FoundNote[];
  skipped: Skipped[];
}

/** Nothing yet. */
export function createFound(): Found {
  return { talks: new Map(), titles: new Map(), digested: new Map(), facts: [], notes: [], skipped: [] };
}

/** Whether there is nothing that could be brought in. */
export function isEmpty({ talks, facts, notes, skipped }: Found): boolean {
  return talks.size + facts.length + notes.length + skipped.length === 0;
}

/** Notes what is left out; the same reason at the same place is counted. */
export function skip(found: Found, place: string, what: string, why: string): void {
  const last = found.skipped.findLast((each) => each.place === place && each.what === what && each.why === why);
  if (last) last.count += 1;
  else found.skipped.push({ place, count: 1, what, why });
}

/** Notes something that cannot be read. */
export function damaged(found: Found, place: string, what: string, why: string): void {
  found.skipped.push({ place, count: 1, what, why, isDamage: true });
}

/** Notes a file that steers an agent: it is a person's, and no memory. */
export function skipInstructions(found: Found, place: string): void {
  skip(found, place, "file", "instructions, not memories: copy them to AGENTS.md if you want them in every prompt");
}

/** The facts of a memory file, each with the heading above it and its line. */
export function factsOf(markdown: string, file: string, fallbackHeading: string): FoundFact[] {
  let last = fallbackHeading;
  const above = markdown.split("\n").map((line) => {
    const heading = last;
    if (/^#{2,6}\s+\S/.test(line)) last = withoutHashes(line);
    return heading;
  });
  return parseFacts(markdown).map(({ text, start }) => {
    const heading = above[start] ?? fallbackHeading;
    return { text, heading, source: `${file}:${start + 1}` };
  });
}

function withoutHashes(heading: string): string {
  return trimEnd(heading.replace(/^#+\s+/, "").trimEnd(), /#/).trimEnd();
}

/** An id made of what identifies something in its original. */
export function idOf(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
