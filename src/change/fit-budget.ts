import { isDeepStrictEqual } from "node:util";
import { MEMORY_FILE, PINNED } from "../layout.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { CountTokens } from "../model/tokens.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import { formatDay, formatMinute } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { applyEdits } from "./apply-edits.ts";
import { removal } from "./edits-between.ts";
import { readOutline } from "./read-outline.ts";
import type { Fact, Outline } from "./read-outline.ts";
import { joinLines } from "./split-lines.ts";

/** Facts that leave MEMORY.md for a dated note, and the text without them. */
export interface MovedFacts {
  text: string;
  facts: Fact[];
  edits: Edit[];
  file: string;
  entry: string;
}

// The prompt puts a heading before the memory.
const HEADING_TOKENS = 8;

/**
 * Brings MEMORY.md within its budget. What is over it goes to the day's note, whole and under its heading: first what
 * passes (plans, dates, states of things), oldest first; last who someone is. Newer than all is what this change brings.
 * A heading under which nothing is left goes along; what is no fact stays, and at least half of the budget is the facts'.
 */
export async function fitBudget(
  workspace: Workspace,
  scope: string,
  text: string,
  edits: readonly Edit[],
): Promise<MovedFacts | undefined> {
  const { memoryBudgetTokens } = workspace.config.agents.defaults;
  const budget = memoryBudgetTokens - HEADING_TOKENS;
  if (mostTokens(text) <= budget) return undefined;
  const count = await openTokenizer();
  if (count(text) <= budget) return undefined;
  const records = await workspace.history.listFacts({ scope });
  const addedAt = new Map(
    records.filter(({ retiredAt }) => retiredAt === null).map((fact) => [fact.text, fact.addedAt]),
  );
  const fresh = new Set(edits.flatMap((edit) => wordsAfter(edit) ?? []));
  const outline = readOutline(text);
  const order = leaves(outline.facts).toSorted((one, other) => rank(one, addedAt, fresh) - rank(other, addedAt, fresh));
  const { text: rest, facts } = takeFaithfully(text, order, (open) => takeOut(outline, open, budget, count));
  if (facts.length === 0) return undefined;
  const file = `${formatDay(workspace.now(), workspace.timezone)}.md`;
  const time = formatMinute(workspace.now(), workspace.timezone).slice(11);
  const heading = `## Moved from MEMORY.md at ${time} (over its budget of ${memoryBudgetTokens} tokens)`;
  return {
    text: rest,
    facts,
    edits: facts.map(({ path, text: words, place, lines }) => ({
      kind: "move",
      file: MEMORY_FILE,
      path: [...path],
      text: words,
      place,
      was: [...lines],
      to: { file, path: [...path] },
      reason: `moved to ${file}: MEMORY.md was over its budget`,
    })),
    file,
    entry: `${heading}\n\n${renderMoved(facts)}`,
  };
}

/** An item with others below it stays: they would lose what they are about. So does what a person has pinned. */
function leaves(facts: readonly Fact[]): Fact[] {
  return facts.filter(({ end, until, path }) => until <= end && path.at(-1) !== PINNED);
}

const PASSING =
  /\b(?:\d{4}-\d{2}(?:-\d{2})?|plan(?:s|ned)?|will|meeting|deadline|trip|appointment|due|currently|at the moment|this (?:week|month)|status|next)\b/i;
const LASTING =
  /\b(?:name|called|lives?|allerg\w*|prefers?|birthday|born|wife|husband|partner|son|daughter|mother|father|works?|speaks?|time ?zone|never|always)\b/i;

/** What goes first has the lowest rank. */
function rank(fact: Fact, addedAt: ReadonlyMap<string, string>, fresh: ReadonlySet<string>): number {
  const kind = PASSING.test(fact.text) ? 0 : LASTING.test(fact.text) ? 2 : 1;
  if (fresh.has(fact.text)) return 1e16 + fact.start;
  const added = addedAt.get(fact.text);
  // What a person wrote has no date; it goes after what was learnt, and from the end of the file.
  const age = added === undefined ? 5e13 - fact.start : Date.parse(added) || 0;
  return kind * 1e14 + age;
}

/** Takes out what is chosen, and reads back what is left; instead of a fact that cannot go others are chosen. */
function takeFaithfully(
  text: string,
  order: readonly Fact[],
  choose: (open: readonly Fact[]) => Fact[],
): { text: string; facts: Fact[] } {
  const outline = readOutline(text);
  const chosen = choose(order);
  const gone = new Set(chosen);
  const plain = withoutFacts(outline, chosen);
  const expected = outline.facts.filter((fact) => !gone.has(fact)).map(({ name }) => name);
  const isFaithful = isDeepStrictEqual(
    readOutline(plain).facts.map(({ name }) => name),
    expected,
  );
  if (isFaithful) return { text: plain, facts: chosen };
  const removals = new Map(chosen.map((fact) => [removal(fact, "over the budget"), fact]));
  const edited = applyEdits(text, [...removals.keys()]);
  const refused = new Set(edited.refused.map((edit) => removals.get(edit)));
  if (refused.size === 0) return { text: edited.text, facts: chosen };
  return takeFaithfully(
    text,
    order.filter((fact) => !refused.has(fact)),
    choose,
  );
}

function takeOut(outline: Outline, order: readonly Fact[], budget: number, count: CountTokens): Fact[] {
  const moved: Fact[] = [];
  const cost = (lines: readonly string[]) => count(`${lines.join("\n")}\n`);
  const sections = factsByHeading(outline);
  let tokens = count(joinLines(outline));
  let standing = outline.facts.reduce((sum, { lines }) => sum + cost(lines), 0);
  // Pieces count for more than they do together, and over thousands of them that would be more than the budget.
  const share = Math.min(1, tokens / (standing || 1));
  for (const fact of order) {
    // Still only nearly: the whole is counted before another one goes.
    if (tokens <= budget) tokens = count(withoutFacts(outline, moved));
    // Where that much is no fact, taking more facts away would not mend it.
    if (tokens <= budget || standing <= budget / 2) break;
    moved.push(fact);
    standing -= cost(fact.lines);
    tokens -= share * cost(fact.lines);
    const section = sections.get(fact);
    if (section && --section.facts === 0) tokens -= share * cost([outline.lines[section.line] ?? "", ""]);
  }
  return moved;
}

/** For each fact the heading right above it, and how many facts stand there. */
function factsByHeading({ headings, facts }: Outline): Map<Fact, { line: number; facts: number }> {
  const sections = headings.map(({ line }) => ({ line, facts: 0 }));
  const found = new Map<Fact, { line: number; facts: number }>();
  let next = 0;
  for (const fact of facts) {
    while ((sections[next]?.line ?? Infinity) < fact.start) next++;
    const section = sections[next - 1];
    if (section) found.set(fact, section);
    if (section) section.facts++;
  }
  return found;
}

/** The text without the lines of these facts, and without headings that have nothing below them for that. */
function withoutFacts(outline: Outline, facts: readonly Fact[]): string {
  const { lines, ends } = outline;
  const gone = new Set(facts.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)));
  for (const line of emptiedSections(outline, facts, gone)) gone.add(line);
  const isLeft = (_: string, index: number) => !gone.has(index);
  return joinLines({ lines: lines.filter(isLeft), ends: ends.filter(isLeft) });
}

/** The lines of headings, below the title, under which facts stood and nothing is left, and the blank lines after them. */
function emptiedSections({ lines, headings }: Outline, moved: readonly Fact[], gone: ReadonlySet<number>): number[] {
  const moving = new Set(moved.map(({ start }) => start));
  const emptied: number[] = [];
  // From the last one on: those within a section come after its heading.
  let end = lines.length;
  const next: { level: number; isEmptied: boolean }[] = [];
  for (const { line, level } of headings.toReversed()) {
    const below: number[] = [];
    let hadFacts = false;
    for (let at = line + 1; at < end; at++) {
      hadFacts ||= moving.has(at);
      if (!gone.has(at)) below.push(at);
    }
    let isEmptied = level > 1 && below.every((at) => lines[at]?.trim() === "");
    while ((next.at(-1)?.level ?? 0) > level) {
      if (next.pop()?.isEmptied) hadFacts = true;
      else isEmptied = false;
    }
    isEmptied &&= hadFacts;
    if (isEmptied) for (const each of [line, ...below]) emptied.push(each);
    next.push({ level, isEmptied });
    end = line;
  }
  return emptied;
}

/** The moved lines as they stood, under the headings that they stood under. */
function renderMoved(moved: readonly Fact[]): string {
  const inOrder = moved.toSorted((one, other) => one.start - other.start);
  const groups = Map.groupBy(inOrder, ({ path }) => path.join(" › "));
  return [...groups]
    .map(([path, facts]) => {
      const block = facts.map(({ lines, lead }, index) => {
        // Items make a list; any other two would become one.
        const isList = lead !== "" && (facts[index - 1]?.lead ?? "") !== "";
        return `${index === 0 ? "" : isList ? "\n" : "\n\n"}${lines.join("\n")}`;
      });
      return `${path === "" ? "" : `### ${path}\n\n`}${block.join("")}`;
    })
    .join("\n\n");
}
