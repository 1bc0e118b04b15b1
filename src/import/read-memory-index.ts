import { basename, dirname, join } from "node:path";
import { factsOf } from "./found.ts";
import type { Found, FoundFact } from "./found.ts";
import { listNames, placeOf, readIfThere } from "./read-source.ts";

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;
/** What belongs to the sentence before it, and says nothing alone. */
const ADDITION = /^\*\*(?:Why|How to apply)[^*]*\*\*/i;
/** A line that only leads to a file: `- [Title](file.md) — hook`. */
const POINTER = /^\s*(?:[-*]\s+)?\[[^\]\n]+\]\([^)\s]+\.md\)/;

/**
 * Reads the memory of an agent that keeps one file a fact and MEMORY.md as their index: the files are the facts, and so
 * is whatever the index says itself. A file that neither stands in the index nor says what it is stays a note.
 */
export async function readMemoryIndex(found: Found, root: string, index: string): Promise<void> {
  const folder = dirname(index);
  const text = (await readIfThere(index)) ?? "";
  const own = text.split("\n").map((line) => (POINTER.test(line) ? "" : line));
  found.facts.push(...factsOf(own.join("\n"), placeOf(root, index), "Projects"));
  for (const name of await listNames(folder, ".md")) {
    if (name === basename(index)) continue;
    const file = join(folder, name);
    const content = (await readIfThere(file)) ?? "";
    const place = placeOf(root, file);
    const isListed = text.includes(`](${name})`) || text.includes(`](./${name})`);
    if (isListed || FRONT_MATTER.test(content)) found.facts.push(...readMemory(content, place));
    else if (content.trim() !== "") found.notes.push({ name: place, text: content });
  }
}

function readMemory(content: string, place: string): FoundFact[] {
  const matter = FRONT_MATTER.exec(content)?.[1] ?? "";
  const heading = headingFor(/^[^\S\n]*type:\s*["']?([\w-]+)/m.exec(matter)?.[1]);
  // Blank lines in the place of the front matter: the lines of facts are counted in the whole file.
  const body = content.replace(FRONT_MATTER, (found) => found.replaceAll(/[^\n]/g, ""));
  const facts: FoundFact[] = [];
  for (const fact of factsOf(body, place, heading)) {
    const last = facts.at(-1);
    const text = withoutLinks(fact.text);
    if (last && ADDITION.test(fact.text)) last.text = `${last.text} ${text}`;
    else facts.push({ ...fact, text });
  }
  return facts;
}

function headingFor(type: string | undefined): string {
  const headings: Readonly<Record<string, string>> = { user: "User", feedback: "Preferences", reference: "References" };
  return headings[type ?? ""] ?? "Projects";
}

/** `[[name]]` leads to another file of the same folder. */
function withoutLinks(text: string): string {
  return text
    .replaceAll(/(?<!\s)\s*(?:(?:See|Related:?)\s*)?\[\[[^\]\n]{1,200}\]\](?:\s*,\s*\[\[[^\]\n]{1,200}\]\])*\.?/g, "")
    .trim();
}
