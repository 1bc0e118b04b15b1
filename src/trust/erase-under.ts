import { lastFilled, readOutline } from "../change/read-outline.ts";
import type { Fact, Heading, Outline } from "../change/read-outline.ts";
import { joinLines } from "../change/split-lines.ts";
import { foldText } from "../language/fold-text.ts";
import { FORGOTTEN } from "./erase-edit.ts";
import type { ForgetMatch } from "./forget-match.ts";

/** Lines `[start, end)`. */
interface Span {
  start: number;
  end: number;
}

/** What goes with a heading or an item; `others`: the parts of it that are somebody else's. */
interface Section extends Span {
  heading?: Heading;
  others: Span[];
}

/**
 * Takes out what stands under what is forgotten: the section of a heading that says it, what hangs below a list item, and
 * the list that a line such as "Ana:" leads. Left behind, it would be said of whoever stands above. `isTitled`: the title of
 * the file names a whole memory, and no section.
 */
export function eraseUnder(markdown: string, match: ForgetMatch, gone: string[], isTitled: boolean): string {
  const outline = readOutline(markdown);
  const { headings, facts, lines, ends } = outline;
  const sections = [
    ...facts.flatMap((fact, index) => (match.hits(fact.text) ? belowFact(outline, fact, index) : [])),
    ...headings.flatMap((each) => (match.hits(each.title) ? [sectionOf(outline, each, match, isTitled)] : [])),
  ];
  const isGone = lines.map((_, line) =>
    sections.some((section) => holds(section, line) && !section.others.some((other) => holds(other, line))),
  );
  if (!isGone.includes(true)) return markdown;
  for (const { line } of headings) if (isGone[line]) gone.push((lines[line] ?? "").trim());
  for (const { start, text } of facts) if (isGone[start]) gone.push(text);
  const renamed = new Map(
    sections.flatMap(({ heading, others }) =>
      // Without a heading above them, the sections of others would stand under the one before.
      heading && others.some(({ start }) => !isGone[start])
        ? [[heading.line, `${"#".repeat(heading.level)} ${FORGOTTEN}`]]
        : [],
    ),
  );
  const left = lines.flatMap((line, index) => {
    const end = ends[index] ?? "\n";
    const other = renamed.get(index);
    if (other !== undefined) return [other, ...(lines[index + 1] === "" ? [""] : [])].map((text) => ({ text, end }));
    return isGone[index] ? [] : [{ text: line, end }];
  });
  const texts = left.map(({ text }) => text);
  const filled = isGone.at(-1) ? lastFilled(texts, 0, texts.length) : texts.length;
  return joinLines({ lines: texts.slice(0, filled), ends: left.slice(0, filled).map(({ end }) => end) });
}

function holds({ start, end }: Span, line: number): boolean {
  return line >= start && line < end;
}

const LABEL = /[:：]$|^(?:\*\*|__)[^*_]+(?:\*\*|__)$/;

/** What hangs below an item, with the item; the list that a label leads, with the label. */
function belowFact({ facts, headings, lines }: Outline, fact: Fact, index: number): Section[] {
  const { text, lead, start, end, until } = fact;
  if (/^\[[^\]]+\] \[RAW\]/.test(text)) return [];
  if (lead !== "") return until > end ? [{ start, end: until, others: [] }] : [];
  if (!LABEL.test(text)) return [];
  const border = headings.find(({ line }) => line > start)?.line ?? lines.length;
  const stop = facts.findIndex((each, at) => at > index && (each.lead === "" || each.start >= border));
  const led = facts.slice(index + 1, stop < 0 ? facts.length : stop);
  return led.length === 0
    ? []
    : [{ start, end: led.reduce((most, each) => Math.max(most, each.until), 0), others: [] }];
}

function sectionOf(outline: Outline, heading: Heading, match: ForgetMatch, isTitled: boolean): Section {
  const { headings } = outline;
  const span = spanOf(outline, heading);
  const below = headings.filter(({ line }) => line > heading.line && line < span.end);
  const words = wordsIn(heading.title);
  const name = wordsIn(match.needles[0] ?? "");
  const isTitle = isTitled && heading.level === 1 && headings.every(({ level }, at) => (level === 1) === (at === 0));
  const isTheirs = ({ title }: Heading): boolean => {
    if (match.hits(title)) return false;
    const theirs = wordsIn(title);
    return theirs.size > 0 && isPartOf(theirs, words);
  };
  const others = isTitle && !isPartOf(words, name) ? below : below.filter(isTheirs);
  return { ...span, heading, others: others.map((each) => spanOf(outline, each)) };
}

function spanOf({ headings, lines }: Outline, { line, level }: Heading): Span {
  const next = headings.find((each) => each.line > line && each.level <= level);
  return { start: line, end: next?.line ?? lines.length };
}

/** The words of a name or a heading, without the ending that says whose something is. */
function wordsIn(title: string): Set<string> {
  const words: string[] = foldText(title).match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word !== "s"));
}

function isPartOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((word) => whole.has(word));
}
