import { describeError } from "../errors.ts";
import { checkExpectations, EXPECTATIONS_FILE, parseExpectations } from "../files/expectations.ts";
import { parseFacts } from "../files/facts.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { keyWords } from "../files/similarity.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Answer } from "./answer.ts";
import { createOriginJudge, OUTSIDE_MARK, SENTENCES, sortByOrigin } from "./origin.ts";
import type { OriginJudge } from "./origin.ts";
import { applyItems, itemsOf } from "./plan-items.ts";
import type { PlanItem } from "./plan-items.ts";
import type { Plan } from "./plan.ts";

/** What of a plan may be done at once, and what waits for a person. */
export interface Judgement {
  plan: Plan;
  /** What stands on outside sources alone. */
  waiting: PlanItem[];
  /** The tools that those sources came by. */
  tools: string[];
  /** The entry as it may be written: what it tells of the outside is marked as such. */
  entry: string;
  /** The same without what it tells of the outside, for the prompt. */
  told: string;
}

/** Parts what the talk bears out from what tools fetched from outside; the latter never enters MEMORY.md by itself. */
export function judgeOrigin(
  whole: Plan,
  texts: { proposed: string; current: string; entry: string },
  messages: readonly StoredMessage[],
  rules: readonly string[],
  hints: { earlier?: readonly StoredMessage[]; evidence?: Answer["evidence"] } = {},
): Judgement {
  const origins = sortByOrigin(messages, rules);
  const earlier = sortByOrigin(hints.earlier ?? [], rules);
  if (origins.outside.length + earlier.outside.length === 0) {
    return { plan: whole, waiting: [], tools: [], entry: texts.entry, told: texts.entry };
  }
  const judge = createOriginJudge(origins, { earlier, evidence: hints.evidence ?? [] });
  const tools = [...new Set([...origins.tools, ...earlier.tools])];
  const items = itemsOf(whole);
  const waiting = items.filter((item) => isFromOutside(item, judge, texts));
  const { entry, told } = markEntry(texts.entry, judge, tools);
  if (waiting.length === 0) return { plan: whole, waiting, tools, entry, told };
  const done = items.filter((item) => !waiting.includes(item));
  const plan: Plan = {
    ...whole,
    text: applyItems(texts.current, texts.proposed, done),
    added: done.flatMap((item) => (item.kind === "add" ? [item.fact] : [])),
    reworded: done.flatMap((item) => (item.kind === "reword" ? [{ before: item.before, after: item.fact }] : [])),
    retired: done.flatMap((item) => (item.kind === "retire" ? [{ fact: item.fact, reason: item.reason }] : [])),
    kept: whole.kept + waiting.filter(({ kind }) => kind !== "add").length,
  };
  return { plan, waiting, tools, entry, told };
}

/** An entry is kept whole, with a mark; what a prompt repeats of it is only what the talk itself bears out. */
function markEntry(entry: string, judge: OriginJudge, tools: readonly string[]): { entry: string; told: string } {
  const time = /^\[[^\]]+\]\s*/.exec(entry)?.[0] ?? "";
  const sentences = entry.slice(time.length).split(SENTENCES);
  const own = sentences.filter((sentence) => keyWords(sentence).size === 0 || !judge.isOutside(sentence));
  if (own.length === sentences.length) return { entry, told: entry };
  const rest = own.join(" ").trim() || `(something that ${tools.join(", ")} brought from outside was talked about)`;
  return { entry: `${entry} ${OUTSIDE_MARK}${tools.join(", ")}]`, told: `${time}${rest}` };
}

function isFromOutside(item: PlanItem, judge: OriginJudge, texts: { proposed: string; current: string }): boolean {
  // A page that says "forget what you know" must not be obeyed either.
  if (item.kind === "retire") return !judge.isMentioned(item.fact);
  if (judge.isOutside(item.fact)) return true;
  const known = new Set(parseFacts(texts.current).flatMap(({ path }) => path));
  const path = parseFacts(texts.proposed).find(({ text }) => text === item.fact)?.path ?? [];
  return path.some((title) => !known.has(title) && keyWords(title).size > 2 && judge.isOutside(title));
}

/** Why a text must not take the present one's place: an expectation that held no longer would. */
export async function brokenExpectation(
  files: MemoryFiles,
  current: string,
  next: string,
): Promise<string | undefined> {
  const yaml = await files.read(EXPECTATIONS_FILE);
  try {
    const expectations = parseExpectations(yaml);
    const before = checkExpectations(expectations, current);
    const broken = checkExpectations(expectations, next).filter(({ holds }, index) => !holds && before[index]?.holds);
    if (broken.length === 0) return undefined;
    return `it breaks ${broken.map(({ kind, text }) => `"${kind}: ${text}"`).join(", ")} of ${EXPECTATIONS_FILE}`;
  } catch (error) {
    return describeError(error);
  }
}
