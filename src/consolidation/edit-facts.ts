import { parseFacts } from "../files/facts.ts";
import type { Fact } from "../files/facts.ts";

/** One change to a memory file; facts are named by their words. */
export type Edit =
  | { kind: "replace"; text: string; by: string }
  | { kind: "remove"; text: string }
  | { kind: "add"; fact: Fact; after: string | undefined };

/** Carries out edits on a memory file; every line that no edit names stays as it is. `outline` knows the headings of new facts. */
export function editFacts(markdown: string, edits: readonly Edit[], outline: string): string {
  let text = markdown;
  for (const edit of edits) {
    if (edit.kind === "add") text = addFact(text, edit.fact, edit.after, outline);
    else text = changeFact(text, edit.text, edit.kind === "replace" ? edit.by : undefined);
  }
  return text;
}

function changeFact(markdown: string, old: string, by: string | undefined): string {
  const lines = markdown.split("\n");
  // From the end, so that line numbers before it stay right; the same fact may stand there twice.
  for (const fact of parseFacts(markdown).toReversed()) {
    if (fact.text !== old) continue;
    lines.splice(fact.start, fact.end - fact.start, ...(by === undefined ? [] : [`${fact.lead}${by}`]));
  }
  return lines.join("\n");
}

function addFact(markdown: string, fact: Fact, after: string | undefined, outline: string): string {
  const facts = parseFacts(markdown);
  const sibling = facts.findLast(({ text }) => text === after);
  const lead =
    fact.lead === "" ? "" : fact.lead.replace(/^\s*/, sibling ? indentOf(sibling.lead) : parentIndent(facts, fact));
  const line = `${lead}${fact.text}`;
  if (sibling)
    return insertAt(markdown, endWithChildren(facts, sibling), line, sibling.lead !== "" && fact.lead !== "");
  const parent = facts.findLast(({ text, lead }) => text === fact.path.at(-1) && lead !== "");
  if (parent) return insertAt(markdown, parent.end, line, true);
  return addUnderHeading(markdown, headingsOf(outline, fact), line, fact.lead !== "");
}

function endWithChildren(facts: readonly Fact[], fact: Fact): number {
  let { end } = fact;
  for (const next of facts) {
    if (next.start === end && indentOf(next.lead).length > indentOf(fact.lead).length) end = next.end;
  }
  return end;
}

/** The headings above a fact, with their levels, as the text that holds it has them. */
function headingsOf(outline: string, fact: Fact): string[] {
  const above: string[] = [];
  for (const line of outline.split("\n").slice(0, fact.start)) {
    const level = headingLevel(line);
    if (level === 0) continue;
    while (above.length > 0 && headingLevel(above.at(-1) ?? "") >= level) above.pop();
    above.push(line.trimEnd());
  }
  return above;
}

function addUnderHeading(markdown: string, headings: readonly string[], line: string, isItem: boolean): string {
  const lines = markdown.split("\n");
  let start = 0;
  let end = lines.length;
  for (const [depth, heading] of headings.entries()) {
    const at = lines.findIndex((each, index) => index >= start && index < end && sameHeading(each, heading));
    if (at < 0) return appendSection(lines, end, [...headings.slice(depth), line]);
    start = at + 1;
    const next = lines.findIndex((each, index) => index >= start && index < end && isAbove(each, heading));
    end = next < 0 ? end : next;
  }
  // Facts of a section come before its sub-sections.
  const nested =
    headings.length === 0
      ? -1
      : lines.findIndex((each, index) => index >= start && index < end && headingLevel(each) > 0);
  return insertAt(markdown, lastFilled(lines, start, nested < 0 ? end : nested), line, isItem);
}

function appendSection(lines: readonly string[], end: number, added: readonly string[]): string {
  const at = lastFilled(lines, 0, end);
  const before = lines.slice(0, at);
  const after = lines.slice(at);
  const block = added.flatMap((line) => ["", line]);
  return closed([...before, ...(before.length === 0 ? block.slice(1) : block), ...after]);
}

/** Puts a line behind line `at`; an item joins the list before it, anything else is set apart. */
function insertAt(markdown: string, at: number, line: string, joins: boolean): string {
  const lines = markdown.split("\n");
  const before = lines.slice(0, at);
  const after = lines.slice(at);
  const previous = before.at(-1) ?? "";
  const isList = /^\s*(?:[-*+]|\d+[.)])\s/.test(previous) || /^\s+\S/.test(previous);
  const gap = before.length === 0 || previous.trim() === "" || (joins && isList) ? [] : [""];
  const tail = !joins && after.length > 0 && (after[0] ?? "").trim() !== "" ? [""] : [];
  return closed([...before, ...gap, line, ...tail, ...after]);
}

function lastFilled(lines: readonly string[], start: number, end: number): number {
  let at = end;
  while (at > start && (lines[at - 1] ?? "").trim() === "") at--;
  return at;
}

function closed(lines: readonly string[]): string {
  const text = lines.join("\n");
  return text.endsWith("\n") ? text : `${text}\n`;
}

function indentOf(lead: string): string {
  return /^\s*/.exec(lead)?.[0] ?? "";
}

function parentIndent(facts: readonly Fact[], fact: Fact): string {
  const parent = facts.findLast(({ text, lead }) => text === fact.path.at(-1) && lead !== "");
  return parent ? `${indentOf(parent.lead)}  ` : "";
}

function headingLevel(line: string): number {
  return /^(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
}

function sameHeading(line: string, heading: string): boolean {
  return headingLevel(line) > 0 && titleOf(line) === titleOf(heading);
}

function titleOf(line: string): string {
  return line
    .replace(/^#+\s+/, "")
    .replace(/\s*#*\s*$/, "")
    .toLowerCase();
}

function isAbove(line: string, heading: string): boolean {
  const level = headingLevel(line);
  return level > 0 && level <= headingLevel(heading);
}
