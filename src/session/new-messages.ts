import { alignMessages } from "./align-messages.ts";
import type { Message, MessageInput } from "./message.ts";
import { fingerprints } from "./fingerprints.ts";

// How much of a session is compared, beyond the length of what the client sent.
const MORE_STORED = 50;

/**
 * What of a client's conversation the session does not hold yet. Clients send everything again with each request, or
 * only the newest part, or drop and edit some, or put a message of their own in another place each time: what is not
 * known of that which follows the last known answer is new. A result of a tool that is not stored is always new. A
 * client that sends no answer of the model's keeps no history, so that the same words said again are new words.
 */
export function newMessages(stored: readonly Message[], sent: readonly MessageInput[]): MessageInput[] {
  const tail = fingerprints(stored).slice(-(sent.length + MORE_STORED));
  const wanted = fingerprints(sent);
  const compared = stored.slice(-tail.length);
  const known = endOfContinuation(tail, wanted);
  const hasAnswers = sent.some(({ role }) => role === "assistant");
  const partners =
    known > 0
      ? wanted.map((_, index) => (index < known ? tail.length - known + index : undefined))
      : hasAnswers
        ? alignMessages(tail, wanted, (index) => (sent[index]?.role === "user" ? 2 : 3))
        : wanted.map(() => undefined);
  const isNew =
    known > 0 || !hasAnswers
      ? partners.map((partner) => partner === undefined)
      : findNew(compared, sent, { tail, wanted, partners });
  return sent.flatMap((message, index) =>
    isNew[index] ? [withStoredId(message, index, { stored: compared, sent, partners })] : [],
  );
}

interface Compared {
  tail: readonly string[];
  wanted: readonly string[];
  /** For each that was sent, the place of the same one in what is stored. */
  partners: readonly (number | undefined)[];
}

function findNew(stored: readonly Message[], sent: readonly MessageInput[], compared: Compared): boolean[] {
  const { partners } = compared;
  const anchor = partners.findLastIndex((partner, index) => partner !== undefined && sent[index]?.role !== "user");
  const moved = movedMessages(stored, compared);
  const isNew = partners.map((partner, index) => {
    if (partner !== undefined || moved.has(index)) return false;
    return index > anchor || sent[index]?.role === "tool";
  });
  keepCallsOfResults(sent, partners, isNew);
  return isNew;
}

/** The longest beginning of what was sent that is the end of what is stored. */
function endOfContinuation(tail: readonly string[], wanted: readonly string[]): number {
  for (let length = Math.min(tail.length, wanted.length); length > 0; length--) {
    const start = tail.length - length;
    if (wanted.slice(0, length).every((print, index) => print === tail[start + index])) return length;
  }
  return 0;
}

/**
 * Messages that a client puts into each request, at another place each time: they are stored already, and were answered
 * by an answer that is known, but no longer stand before it. And results of calls that are known, in another order.
 */
function movedMessages(stored: readonly Message[], { tail, wanted, partners }: Compared): Set<number> {
  const matched = new Set(partners);
  const first = partners.find((partner) => partner !== undefined) ?? tail.length;
  const left = new Map<string, number>();
  for (const [index, print] of tail.entries()) {
    if (index <= first || matched.has(index)) continue;
    const role = stored[index]?.role;
    const answer = role === "user" ? nextAnswer(stored, index) : role === "tool" ? lastAnswer(stored, index) : -1;
    if (answer >= 0 && matched.has(answer)) left.set(print, (left.get(print) ?? 0) + 1);
  }
  const moved = new Set<number>();
  for (const [index, print] of wanted.entries()) {
    const count = left.get(print) ?? 0;
    if (partners[index] !== undefined || count === 0) continue;
    moved.add(index);
    left.set(print, count - 1);
  }
  return moved;
}

function nextAnswer(stored: readonly Message[], from: number): number {
  return stored.findIndex(({ role }, index) => index > from && role === "assistant");
}

function lastAnswer(stored: readonly Message[], before: number): number {
  return stored.findLastIndex(({ role }, index) => index < before && role === "assistant");
}

/** A result means nothing without its call: where neither is stored, both are. */
function keepCallsOfResults(
  sent: readonly MessageInput[],
  partners: readonly (number | undefined)[],
  isNew: boolean[],
): void {
  for (const index of sent.keys()) {
    if (!isNew[index] || sent[index]?.role !== "tool") continue;
    const call = sent.findLastIndex(({ role }, at) => at < index && role === "assistant");
    if (call >= 0 && partners[call] === undefined) isNew[call] = true;
  }
}

/** A result names its call as the session does, whatever the client makes of the id: or nobody would find the two. */
function withStoredId(
  message: MessageInput,
  index: number,
  {
    stored,
    sent,
    partners,
  }: { stored: readonly Message[]; sent: readonly MessageInput[]; partners: Compared["partners"] },
): MessageInput {
  const { role, tool_call_id: id } = message;
  if (role !== "tool" || !id) return message;
  const calls = stored.flatMap(({ tool_calls }) => tool_calls ?? []);
  if (calls.some((call) => call.id === id)) return message;
  const at = sent.findLastIndex((each, place) => place < index && each.role === "assistant");
  const partner = at < 0 ? undefined : partners[at];
  const place = callIds(sent[at]?.tool_calls).indexOf(id);
  const known = partner === undefined ? undefined : stored[partner]?.tool_calls?.[place]?.id;
  const alike = at < 0 ? calls.findLast((call) => plain(call.id ?? "") === plain(id))?.id : undefined;
  const own = known ?? alike;
  return own === undefined ? message : { ...message, tool_call_id: own };
}

function callIds(calls: MessageInput["tool_calls"]): string[] {
  return (calls ?? []).map((call) =>
    typeof call === "object" && call !== null && "id" in call && typeof call.id === "string" ? call.id : "",
  );
}

function plain(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9]/g, "");
}
