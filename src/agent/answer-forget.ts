import { detectLanguage } from "../language/language.ts";
import { tableOf } from "../belief/tables.ts";
import { contentWords, shareOf } from "../language/content-words.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { Memory } from "../memory.ts";
import type { Session } from "../session/session.ts";

const ASK = "This would be forgotten:";
const HOW = "Say yes to forget it, everywhere and for good.";
const SHORTEST_MEANT = 6;

/** Answers an order to forget: shows first what would go, and does it once that is confirmed. Undefined for anything else. */
export async function answerForget(
  memory: Memory,
  session: Session,
  text: string,
  before: string,
): Promise<string | undefined> {
  const table = tableOf(detectLanguage(text));
  if (before.startsWith(ASK)) {
    const facts = before.split("\n").flatMap((line) => /^- (.+)$/.exec(line)?.[1] ?? []);
    if (
      table.confirms.test(text.trim()) ||
      /^(?:do it|go ahead|please do|mach|hazlo|fais-le|faz|fallo|doe maar)\b/i.test(text.trim())
    ) {
      return forgetFacts(memory, facts);
    }
  }
  const order = table.forgets.exec(text.trim());
  if (!order) return undefined;
  // What was said in this chat is on record once it is digested; by rules that takes no time.
  if (!memory.chatModel) await memory.consolidate(session.key, { all: true });
  const about = contentWords(text.trim().slice(order[0].length));
  const known = parseFacts(await memory.readMemory(session.key)).map((fact) => fact.text);
  const facts = known.filter((fact) => {
    const words = contentWords(fact.replace(/^User(?:'s)?:? /, ""));
    return words.size > 0 && about.size > 0 && (shareOf(about, words) >= 0.6 || shareOf(words, about) >= 0.99);
  });
  if (facts.length === 0) return "Nothing on record is about that.";
  return `${ASK}\n${facts.map((fact) => `- ${fact}`).join("\n")}\n${HOW}`;
}

async function forgetFacts(memory: Memory, facts: readonly string[]): Promise<string> {
  const records = await memory.state.listFacts();
  for (const fact of facts) {
    const quotes = records.flatMap((row) => (row.text === fact && row.quote !== null ? [row.quote] : []));
    for (const text of new Set([fact, ...quotes])) {
      if (text.length >= SHORTEST_MEANT) await memory.trust.forget({ text });
    }
  }
  return `Forgotten: ${facts.length} ${facts.length === 1 ? "fact" : "facts"}, and what was said about it.`;
}
