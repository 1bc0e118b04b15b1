import { formatQuotation } from "../belief/quotation.ts";
import { readMessage } from "../belief/read-message.ts";
import { isQuestion } from "../belief/question.ts";
import type { Memory } from "../memory.ts";
import type { Session } from "../session/session.ts";
import { textOf } from "../session/message.ts";
import { correctAnswer } from "./correct-answer.ts";
import { findAnswers } from "./find-answers.ts";
import type { Found } from "./find-answers.ts";
import { answerForget } from "./answer-forget.ts";
import type { TurnOptions, TurnResult } from "./turn.ts";

const FOUND = "Found in memory: ";
const NOTHING = "Nothing on record answers this.";
const NOTHING_TO_KEEP = "Noted. It holds no fact to keep.";
// What was just said is digested first where that is quick, as it is without a model.
const DIGEST_WAIT_MS = 2000;

type Spoken = Extract<TurnResult, { kind: "answer" | "recalled" }>;

/** The assistant that has no model: it keeps what it is told, and answers a question with what is on record. */
export async function answerFromMemory(
  memory: Memory,
  session: Session,
  text: string,
  options: TurnOptions & { isStored?: boolean; heard?: string | undefined },
): Promise<Spoken> {
  const before = session.messages().at(options.isStored ? -2 : -1);
  const forgotten = await answerForget(memory, session, text, before?.role === "assistant" ? textOf(before) : "");
  const isAnswered = before?.role === "assistant" && textOf(before).startsWith(FOUND);
  const corrected =
    forgotten === undefined && isAnswered ? await correctAnswer(memory, session, text, options.heard) : undefined;
  const own = await memory.session(session.key, options.heard);
  const asked = options.isStored ? session.messages().at(-1) : await own.append({ role: "user", content: text });
  const say = async (answer: string, stored = answer): Promise<Spoken> => {
    // What was forgotten meanwhile is not repeated either.
    await own.append({ role: "assistant", content: stored });
    options.onText?.(answer);
    return { kind: "answer", text: answer, model: "none", rounds: 0, notices: [] };
  };
  const done = forgotten ?? corrected;
  if (done !== undefined) return say(done);
  if (!isQuestion(text)) return say(describeKept(text));
  await settleBriefly(memory);
  const answers = await findAnswers(memory, session.key, text, asked?.id);
  // The words themselves are not stored again: they would be found twice, and digested as if they were new.
  const stored = answers.length === 0 ? NOTHING : `${FOUND}${answers.map(({ source }) => source).join("; ")}`;
  const answer = answers.length === 0 ? NOTHING : answers.map((each) => showAnswer(each)).join("\n");
  const spoken = await say(answer, stored);
  return { kind: "recalled", text: answer, found: answers.flatMap(({ hit }) => hit ?? []), notices: spoken.notices };
}

/** What was understood of something told. */
function describeKept(text: string): string {
  const reading = readMessage({ id: "", text, speaker: "User", saidAt: undefined, timezone: "UTC" });
  const kept = reading.quotations.map((quotation) => formatQuotation(quotation));
  if (kept.length > 0) return `Kept: ${kept.join("; ")}.`;
  if (reading.isRetracted || reading.isCorrected) return "Understood; this corrects what you said before.";
  return reading.isConfirmed ? "Understood; that is right." : NOTHING_TO_KEEP;
}

async function settleBriefly(memory: Memory): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DIGEST_WAIT_MS);
  });
  await Promise.race([memory.settle({ retries: 0 }), late]);
  clearTimeout(timer);
}

function showAnswer({ shown, quote, source }: Found): string {
  const said = quote === "" || quote === shown ? "" : `; you said “${quote}”`;
  return `${shown}\n  (${source}${said})`;
}
