import { detectLanguage } from "../language/language.ts";
import { endsInQuestionMark } from "../language/question-mark.ts";
import { splitIntoSentences } from "../language/sentences.ts";
import type { Claim } from "./claim.ts";
import { splitClauses } from "./clauses.ts";
import { isAsking } from "./is-asking.ts";
import { readMessage } from "./read-message.ts";
import type { Saying } from "./read-message.ts";
import { familyOf, slotOf } from "./slots.ts";
import { tableOf } from "./tables.ts";

const LONGEST_CONFIRMED = 240;

/** What the assistant said, and what it was asked. */
export interface Confirmable extends Saying {
  asked: string | undefined;
}

/** What the assistant said about the user, once the user has said yes to it. The evidence is the assistant's message. */
export function readConfirmed(assistant: Confirmable, user: Saying): Claim[] {
  if (assistant.text.length > LONGEST_CONFIRMED) return [];
  const code = detectLanguage(assistant.text);
  const table = tableOf(code);
  const own = splitIntoSentences(assistant.text).filter((sentence) => !table.doubts.test(sentence));
  if (code === "en") {
    const text = own.map((sentence) => asFirstPerson(sentence)).join(" ");
    return readMessage({ ...assistant, text, saidAt: user.saidAt, speaker: "User" }).flatMap((act) =>
      act.kind === "claim" ? [{ ...act.claim, quote: quoteOf(assistant.text, own), message: assistant.id }] : [],
    );
  }
  return own.flatMap((sentence) => {
    const told = splitClauses(sentence, table).filter(({ read }) => !table.hedges.test(read) && !isAsking(read, table));
    const quote = told.map(({ said }) => said).join(", ");
    if (quote === "" || endsInQuestionMark(sentence)) return [];
    // "Se llama Curro" says of whom only together with the question.
    const about =
      quote.split(/\s+/).length < 5 && assistant.asked !== undefined
        ? ` (${assistant.asked.replaceAll(/[¿?？]/g, "").trim()})`
        : "";
    const fact = `User confirmed${about}: ${quote}`;
    return [
      {
        fact,
        quote: told[0]?.said ?? quote,
        message: assistant.id,
        slot: slotOf(fact),
        family: familyOf(fact),
        isDenial: table.negates.test(quote),
      },
    ];
  });
}

function quoteOf(text: string, sentences: readonly string[]): string {
  return sentences.length === 1 ? (sentences[0] ?? text) : text;
}

/** "You live in Rome with your son" as the user would have said it. */
function asFirstPerson(sentence: string): string {
  return sentence
    .replace(/,?\s{0,4}(?:right|correct|i believe|i think|isn't it|don't you|aren't you)\s{0,4}[?.]{0,4}$/i, ".")
    .replace(/^(?:since|as|because|given that)\s+/i, "")
    .replaceAll(/\byou(?:'|’)re\b|\byou are\b/gi, "I am")
    .replaceAll(/\byou(?:'|’)ve\b|\byou have\b/gi, "I have")
    .replaceAll(/\byour\b/gi, "my")
    .replaceAll(/\byou\b/gi, "I")
    .replace(/^my ([^.?]+)\?\s*/i, "");
}
