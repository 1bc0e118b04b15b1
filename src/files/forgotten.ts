import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import { textsIn } from "../language/texts-in.ts";
import { MemoryError } from "../errors.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { FORGOTTEN, Message } from "../session/message.ts";
import type { MessageInput, StoredMessage } from "../session/message.ts";
import type { Documents } from "../store/documents.ts";
import type { Locks } from "../store/locks.ts";
import { withOrWithout } from "../store/with-or-without.ts";
import { stripInvisible } from "../visible-text.ts";
import { BEGINNING_LOCK, FORGETTINGS_PLACE, FORGOTTEN_PLACE } from "../layout.ts";
import { addForgetting, createForgottenSince, lastMark } from "./forgotten-since.ts";
import type { ForgottenThing, Words } from "./forgotten-since.ts";

const Forgotten = z.object({ version: z.literal(1), salt: z.string().min(32), hashes: z.array(z.string()) });
type Forgotten = z.infer<typeof Forgotten>;

const DAMAGED_PLACE = `${FORGOTTEN_PLACE}.damaged`;
const SETTLE_WAIT_MS = 1000;
// What is shorter is said by many, and more than once: to leave it out would lose something new.
const SHORTEST_TEXT = 12;

const LOCK = "forgetting";

/** Where something is forgotten, and answers are stored. */
interface Place {
  documents: Documents;
  locks: Locks;
}

/** Keeps salted hashes of what was forgotten, so that it is known again when a client sends it once more. */
export async function noteForgotten({ documents, locks }: Place, texts: readonly string[]): Promise<void> {
  const long = texts.filter((text) => fold(text).length >= SHORTEST_TEXT);
  if (long.length === 0) return;
  await locks.with(LOCK, async () => {
    await setAside(documents);
    const { salt, hashes } = await load(documents);
    const all = new Set([...hashes, ...long.map((text) => hash(salt, text))]);
    await documents.write(FORGOTTEN_PLACE, JSON.stringify({ version: 1, salt, hashes: [...all] }));
  });
}

/**
 * Puts the hashes aside where they are damaged; what is to be told about it. Whoever only looks, or has opened the memory
 * before, goes on without them.
 */
export async function settleForgotten({ documents, locks }: Place, isReadOnly: boolean): Promise<string | undefined> {
  if (!(await isDamaged(documents))) return undefined;
  if (!isReadOnly) await locks.with(LOCK, () => setAside(documents), SETTLE_WAIT_MS);
  const where = isReadOnly ? "" : `, and was put aside as ${DAMAGED_PLACE}`;
  return `${FORGOTTEN_PLACE} is damaged${where}: a client that sends again what was forgotten brings it back; forget it once more then`;
}

/** Tells whether a text was forgotten. */
export async function loadForgotten(documents: Documents): Promise<(text: string) => boolean> {
  // What was said is stored, whatever else cannot be read; it was told when the memory was opened.
  const { salt, hashes } = await load(documents).catch(goWithout);
  if (hashes.length === 0) return () => false;
  const known = new Set(hashes);
  return (text) => known.has(hash(salt, text));
}

/** Tells whoever has words in hand, or asked a model before, that they may be forgotten by now. */
export async function markForgetting({ documents, locks }: Place, thing: ForgottenThing, now: Date): Promise<void> {
  const mark = async () =>
    documents.write(FORGETTINGS_PLACE, addForgetting(await documents.read(FORGETTINGS_PLACE), thing, now));
  // No answer that was asked for before is stored while, or after, this is written; and who is about to begin a session
  // has done so, for it is looked for then, or knows.
  await locks.with(LOCK, () => locks.with(BEGINNING_LOCK, mark));
}

/** Knows whether something was forgotten since a prompt was made, or since words came in. */
export interface ForgettingWatch {
  /** What was the last forgetting then. */
  readonly mark: string;
  hasForgotten(): Promise<boolean>;
  /** Stores an answer to that prompt; nothing can be forgotten between what `work` is told and its end. */
  store<T>(work: (hasForgotten: boolean) => Promise<T>): Promise<T>;
}

/** Begins to watch; what is read for a prompt is read after this. */
export async function watchForgetting({ documents, locks }: Place): Promise<ForgettingWatch> {
  const mark = await readForgettingMark(documents);
  const hasForgotten = async (): Promise<boolean> => (await readForgettingMark(documents)) !== mark;
  return {
    mark,
    hasForgotten,
    store: (work) =>
      withOrWithout(
        (begin) => locks.with(LOCK, begin),
        async () => work(await hasForgotten()),
      ),
  };
}

const BEGINNING_WAIT_MS = 2000;

/**
 * Writes files beside a session: whoever forgets finds them there, or `work` is told that they were forgotten since a
 * mark.
 */
export function writeBeside<T>(
  { documents, locks }: Place,
  mark: string | undefined,
  work: (isForgotten: (words: Words) => boolean) => Promise<T>,
): Promise<T> {
  const write = async () =>
    work(mark === undefined ? () => false : createForgottenSince(await documents.read(FORGETTINGS_PLACE), mark));
  return withOrWithout((begin) => locks.with(BEGINNING_LOCK, begin, BEGINNING_WAIT_MS), write);
}

/** What is left of an answer that was given on what is forgotten by now: its place, and the pairing of its calls. */
export function withoutWords<Given extends MessageInput | StoredMessage>(message: Given) {
  const { id, tool_call_id } = message;
  const role: Given["role"] = message.role;
  const timestamp: Given["timestamp"] = message.timestamp;
  const calls = Message.shape.tool_calls.parse(message.tool_calls)?.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.function?.name ?? "?", arguments: "{}" },
  }));
  return {
    role,
    content: FORGOTTEN,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(id === undefined ? {} : { id }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
}

/** Tells whether words that came in when `mark` was the last forgetting were forgotten since. */
export async function loadForgottenSince(
  documents: Documents,
  mark: string | undefined,
): Promise<(...texts: string[]) => boolean> {
  if (mark === undefined) return () => false;
  const isForgotten = createForgottenSince(await documents.read(FORGETTINGS_PLACE), mark);
  return (...texts) => isForgotten({ texts });
}

/** Refuses words that were forgotten since a mark: whoever waited for a lock has them in hand. */
export async function refuseForgotten(documents: Documents, mark: string | undefined, words: Words): Promise<void> {
  if (mark === undefined) return;
  const ledger = await documents.read(FORGETTINGS_PLACE);
  if (createForgottenSince(ledger, mark)(words))
    throw new MemoryError("FORGOTTEN", "Nothing was written: what it says was forgotten meanwhile");
}

/** Another one than before if something was forgotten since. */
export async function readForgettingMark(documents: Documents): Promise<string> {
  return lastMark(await documents.read(FORGETTINGS_PLACE));
}

/** Every text of a message's content, as one. */
export function allText(content: unknown): string {
  return textsIn(content).join(" ");
}

async function load(documents: Documents): Promise<Forgotten> {
  return parseForgotten(await documents.read(FORGOTTEN_PLACE)) ?? createForgotten();
}

function createForgotten(): Forgotten {
  return { version: 1, salt: randomBytes(32).toString("hex"), hashes: [] };
}

function goWithout(error: unknown): Forgotten {
  if (error instanceof MemoryError && error.code === "FILE_UNREADABLE") return createForgotten();
  throw error;
}

async function isDamaged(documents: Documents): Promise<boolean> {
  const text = await documents.read(FORGOTTEN_PLACE);
  return text !== undefined && parseForgotten(text) === undefined;
}

async function setAside(documents: Documents): Promise<void> {
  const bytes = await documents.readBytes(FORGOTTEN_PLACE);
  if (bytes === undefined || parseForgotten(bytes.toString("utf8"))) return;
  await documents.write(DAMAGED_PLACE, bytes);
  await documents.remove(FORGOTTEN_PLACE);
}

/** What nobody can read must keep nobody from talking. */
function parseForgotten(text: string | undefined): Forgotten | undefined {
  return text === undefined ? undefined : Forgotten.safeParse(parseIfJson(text)).data;
}

function hash(salt: string, text: string): string {
  return createHmac("sha256", salt).update(fold(text)).digest("hex");
}

function fold(text: string): string {
  return stripInvisible(text.normalize("NFKC")).toLowerCase().replaceAll(/\s+/g, " ").trim();
}
