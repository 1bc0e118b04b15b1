import { containment, createWeights, keyWords, LIKE_ENOUGH, SAME_FACT } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import type { Source } from "../state/edit.ts";
import type { Basis } from "./change.ts";
import { holdsQuote } from "./holds-quote.ts";

/**
 * Finds where a fact comes from: the quoted message if the quote is really in it, else the likest one, else nowhere. Of
 * several that are as good, the one that speaks of what the fact stands under: two people may have the same said of them.
 */
export function traceFact(
  fact: { text: string; path: readonly string[] },
  evidence: Basis["evidence"],
  messages: readonly StoredMessage[],
  session: string,
): Source {
  const told = new Map(messages.map((message) => [message.id, `${message.name ?? ""} ${textOf(message)}`]));
  const heading = keyWords(fact.path.slice(1).join(" "));
  const headingIn = (id: string) =>
    heading.size === 0 ? 0 : containment(heading, keyWords(told.get(id) ?? ""), () => 1);
  const exact = evidence.filter((item) => item.fact === fact.text);
  const named = exact.length > 0 ? exact : evidence.filter((item) => isSameFact(item.fact, fact.text));
  const fitting = named.filter((item) => isQuoteIn(item, messages));
  const [quoted] = fitting.toSorted((one, other) => headingIn(other.message) - headingIn(one.message));
  if (quoted) return { session, message: quoted.message, quote: quoted.quote, proof: "quote" };
  const [match] = likestMessages(fact.text, messages).toSorted((one, other) => headingIn(other.id) - headingIn(one.id));
  if (match) return { session, message: match.id, quote: null, proof: "match" };
  return { session, message: null, quote: null, proof: "none" };
}

function isQuoteIn({ quote, message }: Basis["evidence"][number], messages: readonly StoredMessage[]): boolean {
  const named = messages.find(({ id }) => id === message);
  // What a tool fetched is no one's word about the user.
  return named !== undefined && named.role !== "tool" && holdsQuote(textOf(named), quote);
}

/** The messages that have most of a fact's telling words. */
function likestMessages(fact: string, messages: readonly StoredMessage[]): StoredMessage[] {
  const spoken = messages.filter(({ role }) => role === "user" || role === "assistant");
  const texts = spoken.map((message) => `${message.name ?? ""} ${textOf(message)}`);
  const weigh = createWeights(texts);
  const words = keyWords(fact);
  const scores = texts.map((text) => containment(words, keyWords(text), weigh));
  const best = scores.reduce((most, score) => Math.max(most, score), LIKE_ENOUGH);
  return spoken.filter((_, index) => scores[index] === best);
}

function isSameFact(claimed: string, fact: string): boolean {
  const one = keyWords(claimed);
  const other = keyWords(fact);
  return containment(one, other, () => 1) >= SAME_FACT || containment(other, one, () => 1) >= SAME_FACT;
}
