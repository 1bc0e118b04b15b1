import { createHash } from "node:crypto";
import { parseFacts } from "../change/read-outline.ts";
import type { MessageInput } from "../session/message.ts";

/** A message with an id that is the same each time it is read. */
export interface FoundMessage {
  session: string;
  message: MessageInput & { id: string };
}

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

/** What was left out, and why. */
export interface Skipped {
  what: string;
  why: string;
}

/** Everything that a reader found in another agent's folder or export. */
export interface Found {
  messages: FoundMessage[];
  /** How many messages of a session the other agent had digested already. */
  digested: Map<string, number>;
  facts: FoundFact[];
  notes: FoundNote[];
  skipped: Skipped[];
}

/** Nothing yet. */
export function createFound(): Found {
  return { messages: [], digested: new Map(), facts: [], notes: [], skipped: [] };
}

/** The facts of a memory file, each with the heading above it and its line. */
export function factsOf(markdown: string, file: string, fallbackHeading: string): FoundFact[] {
  const lines = markdown.split("\n");
  return parseFacts(markdown).map(({ text, start }) => {
    const above = lines.slice(0, start).findLast((line) => /^#{2,6}\s+\S/.test(line));
    const heading = above?.replace(/^#+\s+/, "").replace(/\s*#*\s*$/, "") ?? fallbackHeading;
    return { text, heading, source: `${file}:${start + 1}` };
  });
}

/** An id made of what identifies something in its original. */
export function idOf(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** Counts what is left out for the same reason, so that a report stays short. */
export function createSkips(): { note: (why: string) => void; list: (noun: string) => Skipped[] } {
  const counts = new Map<string, number>();
  return {
    note: (why) => void counts.set(why, (counts.get(why) ?? 0) + 1),
    list: (noun) => [...counts].map(([why, count]) => ({ what: `${count} ${noun}${count === 1 ? "" : "s"}`, why })),
  };
}
