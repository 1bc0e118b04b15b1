import { isAboutQuestion } from "../context/recalled-passages.ts";
import type { Memory } from "../memory.ts";
import type { Session } from "../session/session.ts";
import { sourceOf } from "./source-of.ts";
import type { Hit } from "./source-of.ts";
import type { TurnOptions, TurnResult } from "./turn.ts";

const KEPT = "Kept.";
const FOUND = "Found in memory: ";
const NOTHING = "Nothing on record answers this.";
const MOST_SHOWN = 3;
// Earlier questions are found first, and are passed over.
const MOST_SEARCHED = 30;
const LONGEST_TEXT = 300;
const NEAR_THE_BEST = 0.6;
// What was just said is digested first where that is quick, as it is without a model.
const DIGEST_WAIT_MS = 2000;

/** The assistant that has no model: it keeps what it is told, and answers a question with what is on record. */
export async function answerFromMemory(
  memory: Memory,
  session: Session,
  text: string,
  options: TurnOptions & { isStored?: boolean },
): Promise<Extract<TurnResult, { kind: "answer" | "recalled" }>> {
  if (!options.isStored) await session.append({ role: "user", content: text });
  if (!isQuestion(text)) {
    await session.append({ role: "assistant", content: KEPT });
    options.onText?.(KEPT);
    return { kind: "answer", text: KEPT, model: "none", rounds: 0, notices: [] };
  }
  const answers = await findAnswers(memory, session, text);
  // The words themselves are not stored again: they would be found twice, and digested as if they were new.
  const stored = answers.length === 0 ? NOTHING : `${FOUND}${answers.map(({ hit }) => sourceOf(hit)).join("; ")}`;
  await session.append({ role: "assistant", content: stored });
  const answer = answers.length === 0 ? NOTHING : answers.map((each) => showAnswer(each)).join("\n");
  options.onText?.(answer);
  return { kind: "recalled", text: answer, found: answers.map(({ hit }) => hit), notices: [] };
}

const ASKING =
  /^(?:who|whom|whose|what|which|when|where|why|how|find|search|show|list|tell me|remind me|wer|wann|wo|wie|warum|wessen|qué|quién|dónde|cuándo|cómo|qui|quand|où|comment|pourquoi|quem|onde|quando|como)\b/iu;
// "Do not wait" and "Will is my brother" are told; "do I wait" is asked.
const INVERTED =
  /^(?:is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should|may)\s+(?:i|you|we|he|she|it|they|there|my|your|our|the|this|that)\b/iu;
const TELLING = /\b(?:remember|note|don['’]t forget|keep in mind)\b.{0,20}\bthat\b/iu;

/** Whether something is asked, rather than told. */
function isQuestion(text: string): boolean {
  const words = text.trim();
  if (TELLING.test(words)) return false;
  if (/[?？]$/u.test(words) || /(?:吗|呢|什么|哪里|谁|か)。?$/u.test(words)) return true;
  return ASKING.test(words) || INVERTED.test(words);
}

async function findAnswers(memory: Memory, session: Session, question: string): Promise<Answer[]> {
  await settleBriefly(memory);
  const { results } = await memory.search(question, { key: session.key, limit: MOST_SEARCHED, explain: true });
  const own = results.filter((hit) => isAboutQuestion(hit) && !isOwnWord(hit));
  const least = (own[0]?.score ?? 0) * NEAR_THE_BEST;
  const useful = own.filter((hit) => hit.score >= least);
  const answers = await Promise.all(useful.map(async (hit) => ({ hit, source: await factSource(memory, hit) })));
  return withoutRepeats(answers).slice(0, MOST_SHOWN);
}

/** A hit; for a fact, also what it was drawn from. */
interface Answer {
  hit: Hit;
  source: { session: string | null; message: string | null; quote: string | null; addedAt: string } | undefined;
}

async function factSource(memory: Memory, hit: Hit): Promise<Answer["source"]> {
  if (!isFact(hit)) return undefined;
  return (await memory.state.listFacts({ text: factText(hit) })).findLast(({ session }) => session !== null);
}

async function settleBriefly(memory: Memory): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DIGEST_WAIT_MS);
  });
  await Promise.race([memory.settle({ retries: 0 }), late]);
  clearTimeout(timer);
}

/** Questions, and what this assistant said itself, answer nothing. */
function isOwnWord(hit: Hit): boolean {
  const text = hit.text.trim();
  if (hit.session === "") return false;
  return isQuestion(text) || text === KEPT || text === NOTHING || text.startsWith(FOUND);
}

/** Facts come first; what only says again what a better one said is left out, and so is what a fact was drawn from. */
function withoutRepeats(answers: readonly Answer[]): Answer[] {
  const ordered = [...answers.filter(({ hit }) => isFact(hit)), ...answers.filter(({ hit }) => !isFact(hit))];
  const kept: Answer[] = [];
  for (const answer of ordered) {
    const words = wordsOf(answer.hit.text);
    const isRepeat = kept.some(({ hit, source }) => {
      if (source?.message && answer.hit.messages.includes(source.message)) return true;
      const others = wordsOf(hit.text);
      const shared = [...words].filter((word) => others.has(word)).length;
      return shared >= 0.6 * Math.min(words.size, others.size);
    });
    if (!isRepeat) kept.push(answer);
  }
  return kept;
}

function isFact(hit: Hit): boolean {
  return hit.path.endsWith("MEMORY.md");
}

function factText(hit: Hit): string {
  return hit.text.trim().replace(/^[-*+]\s+/, "");
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function showAnswer({ hit, source }: Answer): string {
  const text = factText(hit);
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  const origin = source?.quote
    ? `; you said “${source.quote}” in ${source.session}, ${source.addedAt.slice(0, 10)}`
    : "";
  return `${shown}\n  (${sourceOf(hit)}${origin})`;
}
