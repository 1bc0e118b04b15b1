import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import { foldText } from "../language/fold-text.ts";
import { keyWords } from "../language/similarity.ts";
import { namePattern, textPattern } from "../language/wanted-pattern.ts";

// Who has words in hand when they are forgotten, and stores them later, must know them again; nobody else may learn what
// they were. So each forgetting leaves salted hashes behind, for as long as someone may still have them in hand.

const Piece = z.object({ length: z.number(), sum: z.number(), hash: z.string() });
const Entry = z.object({
  mark: z.string(),
  at: z.string(),
  kind: z.enum(["text", "person", "session", "since"]),
  pieces: z.array(Piece),
  words: z.array(z.string()),
  from: z.string().optional(),
});
type Entry = z.infer<typeof Entry>;
const Ledger = z.object({ version: z.literal(1), salt: z.string().min(32), entries: z.array(Entry) });
type Ledger = z.infer<typeof Ledger>;

/** What is being forgotten. */
export interface ForgottenThing {
  kind: Entry["kind"];
  /** The texts, the name, or the session's key. */
  needles: readonly string[];
  /** The time from which on everything goes. */
  from?: Date | undefined;
}

/** Words that someone has in hand. */
export interface Words {
  texts: readonly string[];
  session?: string | undefined;
  at?: Date | undefined;
}

const KEPT_MS = 86_400_000;
const MOST_ENTRIES = 500;
// As in the match of a forget: all of the words in a short text is the same thing in another order.
const LONGEST_UNIT = 600;

/** The ledger of what was forgotten of late, with one forgetting more; older ones than a day go. */
export function addForgetting(text: string | undefined, thing: ForgottenThing, now: Date): string {
  const { salt, entries } = parseLedger(text) ?? { salt: randomBytes(32).toString("hex"), entries: [] };
  const isLate = ({ at }: Entry) => Math.abs(now.getTime() - Date.parse(at)) < KEPT_MS;
  const isSaid = thing.kind === "text" || thing.kind === "person";
  const folded = [...new Set(thing.needles.map((needle) => (isSaid ? foldText(needle) : needle)))];
  const entry: Entry = {
    mark: randomBytes(8).toString("hex"),
    at: now.toISOString(),
    kind: thing.kind,
    pieces: folded.map((needle) => ({ length: needle.length, sum: sumOf(needle, salt), hash: hash(salt, needle) })),
    words: thing.kind === "text" ? [...keyWords(thing.needles[0] ?? "")].map((word) => hash(salt, word)) : [],
    ...(thing.from === undefined ? {} : { from: thing.from.toISOString() }),
  };
  return JSON.stringify({ version: 1, salt, entries: [...entries.filter(isLate), entry].slice(-MOST_ENTRIES) });
}

/** Another one than before if something was forgotten since. */
export function lastMark(text: string | undefined): string {
  const ledger = parseLedger(text);
  return ledger ? (ledger.entries.at(-1)?.mark ?? "") : (text ?? "");
}

/** Tells whether words were forgotten since a mark, or since a time. */
export function createForgottenSince(text: string | undefined, since: string | Date): (words: Words) => boolean {
  const ledger = parseLedger(text);
  if (ledger === undefined) return () => false;
  const { salt, entries } = ledger;
  const isSince =
    typeof since === "string"
      ? (_: Entry, index: number) => index > entries.findIndex(({ mark }) => mark === since)
      : ({ at }: Entry) => Date.parse(at) >= since.getTime();
  const later = entries.filter(isSince);
  if (later.length === 0) return () => false;
  return (words) => later.some((entry) => isMeant(entry, salt, words));
}

function parseLedger(text: string | undefined): Ledger | undefined {
  if (text === undefined) return undefined;
  try {
    return Ledger.parse(JSON.parse(text));
  } catch {
    // An older version wrote a mark alone; what nobody can read must keep nobody from talking.
    return undefined;
  }
}

function isMeant(entry: Entry, salt: string, { texts, session = "", at }: Words): boolean {
  if (entry.kind === "session") return entry.pieces.some((piece) => piece.hash === hash(salt, session));
  if (entry.kind === "since") return at !== undefined && entry.from !== undefined && at >= new Date(entry.from);
  return texts.some((text) => carries(entry, salt, text));
}

function carries({ kind, pieces, words }: Entry, salt: string, text: string): boolean {
  const folded = foldText(text);
  for (const piece of pieces) {
    const found = findPiece(folded, piece, salt);
    if (found !== undefined && (kind === "person" ? namePattern(found) : textPattern(found)).test(folded)) return true;
  }
  if (words.length < 2 || text.length > LONGEST_UNIT) return false;
  const said = new Set([...keyWords(text)].map((word) => hash(salt, word)));
  return words.every((word) => said.has(word));
}

/** The part of a text that has this hash; a sum that rolls along tells where to look. */
function findPiece(text: string, { length, sum, hash: wanted }: z.infer<typeof Piece>, salt: string) {
  const base = baseOf(salt);
  let first = 1;
  for (let count = 1; count < length; count++) first = Math.imul(first, base);
  let rolling = 0;
  for (let end = 0; end < text.length; end++) {
    if (end >= length) rolling = (rolling - Math.imul(text.charCodeAt(end - length), first)) | 0;
    rolling = (Math.imul(rolling, base) + text.charCodeAt(end)) | 0;
    if (rolling !== sum || end < length - 1) continue;
    const part = text.slice(end - length + 1, end + 1);
    if (hash(salt, part) === wanted) return part;
  }
  return undefined;
}

function sumOf(text: string, salt: string): number {
  const base = baseOf(salt);
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, base) + text.charCodeAt(at)) | 0;
  return sum;
}

function baseOf(salt: string): number {
  return Number.parseInt(salt.slice(0, 8), 16) | 1;
}

function hash(salt: string, text: string): string {
  return createHmac("sha256", salt).update(text).digest("hex").slice(0, 32);
}
