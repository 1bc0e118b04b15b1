import { MEMORY_FILE } from "../layout.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { CountTokens } from "../model/tokens.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit } from "../state/edit.ts";
import { formatDay, formatMinute } from "../time.ts";
import type { Workspace } from "../workspace.ts";
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
  const records = await workspace.state.listFacts({ scope });
  const addedAt = new Map(
    records.filter(({ retiredAt }) => retiredAt === null).map((fact) => [fact.text, fact.addedAt]),
  );
  const fresh = new Set(edits.flatMap((edit) => wordsAfter(edit) ?? []));
  const outline = readOutline(text);
  const order = leaves(outline.facts).toSorted((one, other) => rank(one, addedAt, fresh) - rank(other, addedAt, fresh));
  const facts = takeOut(outline, order, budget, count);
  if (facts.length === 0) return undefined;
  const file = `${formatDay(workspace.now(), workspace.timezone)}.md`;
  const time = formatMinute(workspace.now(), workspace.timezone).slice(11);
  const heading = `## Moved from MEMORY.md at ${time} (over its budget of ${memoryBudgetTokens} tokens)`;
  return {
    text: withoutFacts(outline, facts),
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

/** An item with others below it stays: they would lose what they are about. */
function leaves(facts: readonly Fact[]): Fact[] {
  return facts.filter(({ end, until }) => until <= end);
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

function takeOut(outline: Outline, order: readonly Fact[], budget: number, count: CountTokens): Fact[] {
  const moved: Fact[] = [];
  let tokens = count(joinLines(outline));
  for (const fact of order) {
    // Pieces count for a little more than they do together: the whole is counted before another one goes.
    if (tokens <= budget) tokens = count(withoutFacts(outline, moved));
    if (tokens <= budget) break;
    moved.push(fact);
    tokens -= count(`${fact.lines.join("\n")}\n`);
  }
  return moved;
}

/** The text without the lines of these facts. */
function withoutFacts({ lines, ends }: Outline, facts: readonly Fact[]): string {
  const gone = new Set(facts.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)));
  const isLeft = (_: string, index: number) => !gone.has(index);
  return joinLines({ lines: lines.filter(isLeft), ends: ends.filter(isLeft) });
}

/** The moved lines as they stood, under the headings that they stood under. */
function renderMoved(moved: readonly Fact[]): string {
  const inOrder = moved.toSorted((one, other) => one.start - other.start);
  const groups = Map.groupBy(inOrder, ({ path }) => path.join(" › "));
  return [...groups]
    .map(([path, facts]) => {
      const block = facts.map(({ lines }) => lines.join("\n")).join("\n");
      return path === "" ? block : `### ${path}\n\n${block}`;
    })
    .join("\n\n");
}
