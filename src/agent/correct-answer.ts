import { parseQuotation } from "../belief/quotation.ts";
import { splice } from "../belief/correct.ts";
import { parseFacts } from "../change/read-outline.ts";
import { MemoryError } from "../errors.ts";
import { detectLanguage } from "../language/language.ts";
import { packOf } from "../language/packs.ts";
import type { Memory } from "../memory.ts";
import { textOf } from "../session/message.ts";
import type { Session } from "../session/session.ts";
import { findAnswers } from "./find-answers.ts";

/** "No, on Thursdays", said to an answer, corrects the fact that was given. Undefined where nothing comes of it. */
export async function correctAnswer(
  memory: Memory,
  session: Session,
  text: string,
  heard: string | undefined,
): Promise<string | undefined> {
  const question = session.messages().at(-2);
  const pack = packOf(detectLanguage(text));
  if (question?.role !== "user" || pack.begins("corrects", pack.plain(text)) === null) return undefined;
  const [given] = await findAnswers(memory, session.key, textOf(question), question.id);
  const known = parseFacts(await memory.readMemory(session.key)).find((fact) =>
    given?.text.includes(parseQuotation(fact.text)?.words ?? fact.text),
  );
  if (given === undefined || known === undefined) return undefined;
  const quoted = parseQuotation(known.text);
  const words = splice(quoted?.words ?? known.text, text);
  if (words === undefined) return undefined;
  const corrected = quoted === undefined ? words : known.text.replace(quoted.words, () => words);
  try {
    const wish = { fact: corrected, replaces: known.text, by: "user", heard };
    const receipt = await memory.remember(session.key, wish);
    return receipt.kind === "saved" ? `Corrected: ${receipt.fact}.` : undefined;
  } catch (error) {
    // Nothing comes of words that are forgotten by now; that they were said is stored like anything else.
    if (error instanceof MemoryError && error.code === "FORGOTTEN") return undefined;
    throw error;
  }
}
