import { parseFacts } from "../files/facts.ts";
import type { Fact } from "../files/facts.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";
import type { CountTokens } from "../model/tokens.ts";
import { formatDay, formatMinute } from "../time.ts";
import type { World } from "./world.ts";

/** Facts that leave MEMORY.md for a dated note, and the text without them. */
export interface Fitted {
  text: string;
  moved: string[];
  /** Where they go; undefined when everything fits. */
  note: { file: string; entry: string } | undefined;
}

// The prompt puts a heading before the memory.
const HEADING_TOKENS = 8;

/**
 * Brings MEMORY.md within its budget. What is over it goes to the day's note, whole and under its heading: first what
 * passes (plans, dates, states of things), oldest first; last who someone is. Newer than all are the `fresh` ones.
 */
export async function fitBudget(
  world: World,
  scope: string,
  text: string,
  fresh: ReadonlySet<string> = new Set(),
): Promise<Fitted> {
  const budget = world.config.agents.defaults.memoryBudgetTokens - HEADING_TOKENS;
  if (mostTokens(text) <= budget) return { text, moved: [], note: undefined };
  const count = await openTokenizer();
  if (count(text) <= budget) return { text, moved: [], note: undefined };
  const records = await world.state.listFacts({ scope });
  const addedAt = new Map(
    records.filter(({ retiredAt }) => retiredAt === null).map((fact) => [fact.text, fact.addedAt]),
  );
  const order = leaves(parseFacts(text)).toSorted(
    (one, other) => rank(one, addedAt, fresh) - rank(other, addedAt, fresh),
  );
  const moved = takeOut(text, order, budget, count);
  if (moved.length === 0) return { text, moved: [], note: undefined };
  const time = formatMinute(world.now(), world.timezone).slice(11);
  const heading = `## Moved from MEMORY.md at ${time} (over its budget of ${world.config.agents.defaults.memoryBudgetTokens} tokens)`;
  return {
    text: withoutLines(text, moved),
    moved: moved.map((fact) => fact.text),
    note: { file: `${formatDay(world.now(), world.timezone)}.md`, entry: `${heading}\n\n${renderMoved(text, moved)}` },
  };
}

/** An item with others below it stays: they would lose what they are about. */
function leaves(facts: readonly Fact[]): Fact[] {
  return facts.filter((fact, index) => facts[index + 1]?.path.at(-1) !== fact.text);
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

function takeOut(text: string, order: readonly Fact[], budget: number, count: CountTokens): Fact[] {
  const lines = text.split("\n");
  const moved: Fact[] = [];
  let tokens = count(text);
  for (const fact of order) {
    // Pieces count for a little more than they do together: the whole is counted before another one goes.
    if (tokens <= budget) tokens = count(withoutLines(text, moved));
    if (tokens <= budget) break;
    moved.push(fact);
    tokens -= count(`${lines.slice(fact.start, fact.end).join("\n")}\n`);
  }
  return moved;
}

/** Why a fact is no longer in MEMORY.md that is in a note. */
export function movedReason(file: string): string {
  return `moved to ${file}: MEMORY.md was over its budget`;
}

/** The text without the lines of these facts. */
export function withoutLines(text: string, facts: readonly Pick<Fact, "start" | "end">[]): string {
  const gone = new Set(
    facts.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index)),
  );
  return text
    .split("\n")
    .filter((_, index) => !gone.has(index))
    .join("\n");
}

/** The moved lines as they stood, under the headings that they stood under. */
function renderMoved(text: string, moved: readonly Fact[]): string {
  const lines = text.split("\n");
  const inOrder = moved.toSorted((one, other) => one.start - other.start);
  const groups = Map.groupBy(inOrder, ({ path }) => path.join(" › "));
  return [...groups]
    .map(([path, facts]) => {
      const block = facts.map((fact) => lines.slice(fact.start, fact.end).join("\n")).join("\n");
      return path === "" ? block : `### ${path}\n\n${block}`;
    })
    .join("\n\n");
}
