import { containment, createWeights, keyWords, LIKE_ENOUGH, SAME_FACT } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Source } from "../state/edit.ts";
import type { Basis } from "./change.ts";
import { holdsQuote } from "./holds-quote.ts";

/** Finds where a fact comes from: the quoted message if the quote is really in it, else the likest one, else nowhere. */
export function traceFact(
  fact: string,
  evidence: Basis["evidence"],
  messages: readonly StoredMessage[],
  session: string,
): Source {
  const quoted = evidence.find((item) => isSameFact(item.fact, fact) && isQuoteIn(item, messages));
  if (quoted) return { session, message: quoted.message, quote: quoted.quote, proof: "quote" };
  const match = likestMessage(fact, messages);
  if (match) return { session, message: match.id, quote: null, proof: "match" };
  return { session, message: null, quote: null, proof: "none" };
}

function isQuoteIn({ quote, message }: Basis["evidence"][number], messages: readonly StoredMessage[]): boolean {
  const named = messages.find(({ id }) => id === message);
  // What a tool fetched is no one's word about the user.
  return named !== undefined && named.role !== "tool" && holdsQuote(textOf(named), quote);
}

/** The message that has most of a fact's telling words. */
function likestMessage(fact: string, messages: readonly StoredMessage[]): StoredMessage | undefined {
  const spoken = messages.filter(({ role }) => role === "user" || role === "assistant");
  const texts = spoken.map((message) => `${message.name ?? ""} ${textOf(message)}`);
  const weigh = createWeights(texts);
  const words = keyWords(fact);
  let best: { message: StoredMessage; score: number } | undefined;
  for (const [index, message] of spoken.entries()) {
    const score = containment(words, keyWords(texts[index] ?? ""), weigh);
    if (score >= LIKE_ENOUGH && score > (best?.score ?? 0)) best = { message, score };
  }
  return best?.message;
}

function isSameFact(claimed: string, fact: string): boolean {
  const one = keyWords(claimed);
  const other = keyWords(fact);
  return containment(one, other, () => 1) >= SAME_FACT || containment(other, one, () => 1) >= SAME_FACT;
}
