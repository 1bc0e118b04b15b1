import { alignMessages } from "./align-messages.ts";
import { fingerprints } from "./fingerprints.ts";
import { textOf } from "./message.ts";
import type { Message, MessageInput } from "./message.ts";

// A client's hook and its transcript tell the time of one message by one clock, at its beginning or at its end.
const SAME_TIME_MS = 60 * 60 * 1000;
// Shorter words at the beginning of a longer message may be a coincidence.
const SHORTEST_BEGINNING = 12;

/**
 * Which of a client's messages the session holds already under another id, by their places: whoever spoke, the words,
 * about the time and the order are the same. Two doors name one message differently; each message counts once.
 */
export function knownByWords(stored: readonly Message[], brought: readonly MessageInput[]): Set<number> {
  const ids = new Set(brought.map(({ id }) => id));
  const known = new Set(stored.map(({ id }) => id));
  const others = nameAll(stored).filter(({ message }) => !ids.has(message.id));
  const wanted = nameAll(brought).filter(({ message: { id = "" } }) => !known.has(id));
  if (others.length === 0 || wanted.length === 0) return new Set();
  const prints = new Set(others.map(({ print }) => print));
  const beginnings = others.filter(({ message }) => message.role === "user");
  // A program may hang the files that a message names behind its words.
  for (const each of wanted) if (!prints.has(each.print)) each.print = printOfBeginning(each, beginnings) ?? each.print;
  const isWanted = new Set(wanted.map(({ print }) => print));
  const left = others.filter(({ print }) => isWanted.has(print));
  const right = wanted.filter(({ print }) => prints.has(print));
  const pairs = pairInOrder(left, right);
  return new Set(pairs.filter(([one, other]) => isSameTime(one, other)).map(([, { place }]) => place));
}

interface Named {
  message: Message | MessageInput;
  print: string;
  place: number;
}

function nameAll(messages: readonly (Message | MessageInput)[]): Named[] {
  const prints = fingerprints(messages);
  return messages.flatMap((message, place) => {
    const print = prints[place] ?? "";
    return message.role === "user" || message.role === "assistant" || message.role === "tool"
      ? [{ message, print, place }]
      : [];
  });
}

function printOfBeginning({ message }: Named, beginnings: readonly Named[]): string | undefined {
  if (message.role !== "user") return undefined;
  const words = wordsOf(message);
  return beginnings.find((each) => {
    const beginning = wordsOf(each.message);
    return beginning.length >= SHORTEST_BEGINNING && words.startsWith(`${beginning}\n`);
  })?.print;
}

function wordsOf({ content }: Message | MessageInput): string {
  return textOf({ content: typeof content === "string" ? content : content ? [...content] : null }).trim();
}

/** What begins and ends alike is paired at once; only what lies between is worth the comparison. */
function pairInOrder(left: readonly Named[], right: readonly Named[]): [Named, Named][] {
  const pairs: [Named, Named][] = [];
  let from = 0;
  for (; from < left.length && from < right.length; from += 1) {
    const [one, other] = [left[from], right[from]];
    if (!one || !other || one.print !== other.print) break;
    pairs.push([one, other]);
  }
  const [rest, wanted] = [left.slice(from), right.slice(from)];
  const partners = alignMessages(
    rest.map(({ print }) => print),
    wanted.map(({ print }) => print),
    () => 1,
  );
  for (const [index, other] of wanted.entries()) {
    const partner = partners[index];
    const one = partner === undefined ? undefined : rest[partner];
    if (one) pairs.push([one, other]);
  }
  return pairs;
}

function isSameTime({ message: one }: Named, { message: other }: Named): boolean {
  const apart = Math.abs(timeOf(one) - timeOf(other));
  return Number.isNaN(apart) || apart <= SAME_TIME_MS;
}

function timeOf({ timestamp }: Message | MessageInput): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}
