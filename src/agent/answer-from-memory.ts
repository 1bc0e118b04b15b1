import type { Memory } from "../memory.ts";
import type { Session } from "../session/session.ts";
import { sourceOf } from "./show-hits.ts";
import type { Hit } from "./show-hits.ts";
import type { TurnOptions, TurnResult } from "./turn.ts";

const KEPT = "Kept.";
const FOUND = "Found in memory: ";
const NOTHING = "Nothing on record answers this.";
const MOST_SHOWN = 3;
const MOST_SEARCHED = 12;
const LONGEST_TEXT = 300;
// The score carries how sure the search is; below this the best hit is one by chance.
const SURE_ENOUGH = 0.2;
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
  const hits = await findAnswers(memory, session, text);
  // The words themselves are not stored again: they would be found twice, and digested as if they were new.
  const stored = hits.length === 0 ? NOTHING : `${FOUND}${hits.map((hit) => sourceOf(hit)).join("; ")}`;
  await session.append({ role: "assistant", content: stored });
  const answer = hits.length === 0 ? NOTHING : (await Promise.all(hits.map((hit) => showHit(memory, hit)))).join("\n");
  options.onText?.(answer);
  return { kind: "recalled", text: answer, found: hits, notices: [] };
}

const QUESTION =
  /^(?:who|whom|whose|what|which|when|where|why|how|is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should|may|find|search|show|list|tell me|remind me|wer|was|wann|wo|wie|warum|wessen|qué|quién|dónde|cuándo|cómo|qui|que|quand|où|comment|pourquoi|quem|onde|quando|como)\b/iu;

/** Whether something is asked, rather than told. */
export function isQuestion(text: string): boolean {
  const words = text.trim();
  return /[?？]\s*$/u.test(words) || QUESTION.test(words) || /(?:吗|呢|什么|哪里|谁|か)[?？。]?$/u.test(words);
}

async function findAnswers(memory: Memory, session: Session, question: string): Promise<Hit[]> {
  await settleBriefly(memory);
  const { results } = await memory.search(question, { key: session.key, limit: MOST_SEARCHED });
  const useful = results.filter((hit) => hit.score >= SURE_ENOUGH && !isOwnWord(hit));
  return withoutRepeats(useful).slice(0, MOST_SHOWN);
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

/** Facts come first; what only says again what a better hit said is left out. */
function withoutRepeats(hits: readonly Hit[]): Hit[] {
  const ordered = [...hits.filter(isFact), ...hits.filter((hit) => !isFact(hit))];
  const kept: Hit[] = [];
  for (const hit of ordered) {
    const words = wordsOf(hit.text);
    const isRepeat = kept.some((other) => {
      const others = wordsOf(other.text);
      const shared = [...words].filter((word) => others.has(word)).length;
      return shared >= 0.6 * Math.min(words.size, others.size);
    });
    if (!isRepeat) kept.push(hit);
  }
  return kept;
}

function isFact(hit: Hit): boolean {
  return hit.path.endsWith("MEMORY.md");
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

async function showHit(memory: Memory, hit: Hit): Promise<string> {
  const text = hit.text.trim().replace(/^[-*+]\s+/, "");
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  const known = isFact(hit)
    ? (await memory.state.listFacts({ text })).findLast(({ session }) => session !== null)
    : undefined;
  const origin = known?.quote ? `; you said “${known.quote}” in ${known.session}, ${known.addedAt.slice(0, 10)}` : "";
  return `${shown}\n  (${sourceOf(hit)}${origin})`;
}
