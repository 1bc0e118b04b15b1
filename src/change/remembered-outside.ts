import { createHash } from "node:crypto";
import { saltHash } from "../history/salt-hash.ts";
import type { History } from "../history/history.ts";
import type { Queue } from "../store/queue.ts";
import type { Change } from "../history/change.ts";
import type { Basis } from "./draft.ts";
import { OUTSIDE_MARK, sortByOrigin } from "./origin.ts";
import { SENTENCES } from "./statement.ts";
import type { ToolRules } from "./origin.ts";
import { ANY_WORD, createOriginJudge } from "./origin-judge.ts";
import type { OriginJudge, RememberedOutside } from "./origin-judge.ts";
import { contentWords, isNeutral, saidWords } from "./said-words.ts";

// A long page has a few thousand words of its own.
const MOST_WORDS_OF_TALK = 20_000;

/** What of some texts the outside said before, in any session of this memory. */
export async function recallOutside(
  { history, queue }: { history: History; queue: Queue },
  scope: string,
  texts: readonly string[],
): Promise<RememberedOutside> {
  if (!(await history.hasOutside(scope))) return { words: new Map(), isAny: false };
  const salt = await queue.salt();
  const words = [ANY_WORD, ...new Set(texts.flatMap((text) => [...contentWords(text)]))];
  const byHash = new Map(words.map((word) => [hashWord(salt, scope, word), word]));
  const found = await history.findOutsideWords(scope, [...byHash.keys()]);
  return { words: new Map(found.map(({ hash, tool }) => [byHash.get(hash) ?? "", tool])), isAny: true };
}

/** What a talk took in from outside: its messages, what they were retold in, and the words that the user did not say. */
export function outsideOf(
  { scope, basis, texts, salt }: { scope: string; basis: Basis; texts: readonly string[]; salt: string },
  rules: ToolRules,
): { outside?: NonNullable<Change["outside"]> } {
  const messages = [...basis.earlier, ...basis.messages];
  const { outside, retold, asked, tools, ids } = sortByOrigin(messages, rules);
  if (outside.length === 0) return {};
  const said = new Set(asked.flatMap(({ text }) => [...saidWords(text)]));
  const words = new Set([...retold, ...texts, ...outside].flatMap((text) => [...contentWords(text)]));
  const tool = tools.slice(0, 3).join(", ");
  const foreign = [...words].filter((word) => !said.has(word) && !isNeutral(word));
  // A page that is stuffed with words must not push out those that matter.
  const kept = foreign.length > MOST_WORDS_OF_TALK ? [ANY_WORD, ...foreign.slice(0, MOST_WORDS_OF_TALK)] : foreign;
  return { outside: { words: kept.map((word) => ({ hash: hashWord(salt, scope, word), tool })), messages: ids } };
}

/** The hashes by which the words of some texts are known to have come from outside. */
export function hashesOf(salt: string, scope: string, texts: readonly string[]): Set<string> {
  const words = new Set(texts.flatMap((text) => [...contentWords(text)]));
  return new Set([...words].map((word) => hashWord(salt, scope, word)));
}

/** The words cannot be had back from it by who does not have the salt, or does not guess them. */
function hashWord(salt: string, scope: string, word: string): string {
  return saltHash(salt, createHash("sha256").update(`${scope}\n${word}`).digest("hex").slice(0, 20));
}

/** Marks the lines that tell what came from outside, so that whoever finds them later knows. */
export function markOutside(lines: readonly string[], basis: Basis, rules: ToolRules): string[] {
  const judge = createOriginJudge(basis, rules, []);
  if (judge === undefined) return [...lines];
  return lines.map((line) => (tellsOutside(line, judge) ? `${line} ${OUTSIDE_MARK}${judge.tools.join(", ")}]` : line));
}

function tellsOutside(line: string, judge: OriginJudge): boolean {
  return line.split(SENTENCES).some((sentence) => contentWords(sentence).size > 1 && judge.tellsOutside(sentence));
}
