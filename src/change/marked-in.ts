import { OUTSIDE_MARK } from "./origin.ts";

// Parts of a line that are shorter stand in many entries, and tell little.
const SHORTEST_PART = 8;
// Comparing more characters than so many with each other is not worth the wait: then it may be any of them.
const MOST_COMPARED = 100_000_000;

/** What brought in the entries of a text of which something is shown: their mark stands at their end, and may not be shown. */
export function markedIn(text: string, shown: string): string[] {
  if (!text.includes(OUTSIDE_MARK)) return [];
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  const told = new Set<string>();
  const parts = new Set<string>();
  for (const forms of [...new Set(shown.split("\n"))].map(bareForms)) {
    const whole = forms.find((form) => lines.has(form));
    if (whole !== undefined) told.add(whole);
    else for (const form of forms) if (form.length >= SHORTEST_PART) parts.add(form);
  }
  const entries = markedEntries(text);
  const length = entries.reduce((sum, { words }) => sum + words.length, 0);
  const isTooMuch = parts.size * length > MOST_COMPARED;
  const asParts = [...parts];
  const isTold = (words: string): boolean =>
    isTooMuch ||
    words.split("\n").some((line) => told.has(line.trim())) ||
    asParts.some((part) => words.includes(part));
  return [...new Set(entries.filter(({ words }) => isTold(words)).map(({ tools }) => tools))];
}

/** An entry ends with a blank line; in a list each item is one. */
function markedEntries(text: string): { words: string; tools: string }[] {
  const entries: { words: string; tools: string }[] = [];
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || /^\s*[-*+] /.test(line)) lines = [];
    lines.push(line);
    const at = line.lastIndexOf(OUTSIDE_MARK);
    if (at < 0) continue;
    const tools = line.slice(at + OUTSIDE_MARK.length).replace(/\].*$/, "");
    entries.push({ words: lines.join("\n"), tools });
    lines = [];
  }
  return entries;
}

/** A line without the number, the name or the count that a reader puts before it. */
function bareForms(line: string): string[] {
  const forms = [line, line.replace(/^\s*\d+[\s:-]\s*/, ""), line.replace(/^[^\s:]+?[:-](?:\d+[:-])?/, "")];
  return [...new Set(forms.map((form) => form.trim()))].filter((form) => /[\p{L}\p{N}]/u.test(form));
}
