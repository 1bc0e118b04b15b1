import { textsIn } from "../language/texts-in.ts";
import type { MessageInput, StoredMessage } from "../session/message.ts";
import { withoutWords } from "./forgotten.ts";
import { createForgottenSince, lastMark } from "./forgotten-since.ts";

/**
 * Tells of messages that were said at a known time, and are told only now, which of them say what was forgotten since:
 * of those only their place is kept.
 */
export function admitTold(
  messages: readonly MessageInput[],
  {
    session,
    ledger,
    timeOf,
  }: { session: string; ledger: string | undefined; timeOf: (message: MessageInput) => unknown },
): { left: MessageInput[]; withheld: MessageInput[] } {
  const withheld: MessageInput[] = [];
  const left = messages.map((message) => {
    const time = timeOf(message);
    const at = typeof time === "string" || typeof time === "number" ? new Date(time) : undefined;
    if (at === undefined || Number.isNaN(at.getTime())) return message;
    if (!createForgottenSince(ledger, at)({ texts: textsIn(message), session, at })) return message;
    withheld.push(message);
    return withoutWords(message);
  });
  return { left, withheld };
}

/**
 * What may be stored of messages that came in when `mark` was the last forgetting: of one that says what was forgotten
 * since only its place, and of a session that was forgotten whole nothing.
 */
export function admitHeard(
  messages: readonly StoredMessage[],
  { session, mark, ledger }: { session: string; mark: string | undefined; ledger: string | undefined },
): StoredMessage[] {
  if (mark === undefined || lastMark(ledger) === mark) return [...messages];
  const isForgotten = createForgottenSince(ledger, mark);
  if (isForgotten({ texts: [], session })) return [];
  return messages.map((message) => {
    const { timestamp } = message;
    const at = typeof timestamp === "string" || typeof timestamp === "number" ? new Date(timestamp) : new Date();
    return isForgotten({ texts: textsIn(message), session, at })
      ? { ...withoutWords(message), id: message.id }
      : message;
  });
}
