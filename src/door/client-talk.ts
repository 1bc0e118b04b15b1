import { MemoryError } from "../errors.ts";
import { allText, loadForgotten, noteForgotten, watchForgetting, withoutWords } from "../files/forgotten.ts";
import type { ForgettingWatch } from "../files/forgotten.ts";
import { admitTold } from "../files/admit-heard.ts";
import { maskMessage } from "../files/mask-message.ts";
import { FORGETTINGS_PLACE } from "../layout.ts";
import type { Memory } from "../memory.ts";
import { encodeKey } from "../session/file-name.ts";
import { FORGOTTEN, Message } from "../session/message.ts";
import type { MessageInput } from "../session/message.ts";
import { newMessages } from "../session/new-messages.ts";
import type { Session } from "../session/session.ts";
import { createQueues } from "../queue.ts";

/** A turn that has begun: it knows whether what its model was shown is still there. */
export type BegunTurn = ForgettingWatch;

/** Keeps what is said through us by a client that keeps a history of its own. */
export interface ClientTalk {
  /**
   * Stores what of the client's messages is new; they are on the disk when this resolves. Returns how many. A retry says
   * nothing again, even if its first try was answered.
   */
  hear(key: string, messages: readonly MessageInput[], isRetry?: boolean): Promise<number>;
  /** Begins a turn: what its model is shown is read after this. */
  begin(): Promise<BegunTurn>;
  /** Stores the model's answer. Of one to a prompt with something that was forgotten meanwhile only its place is kept. */
  answer(key: string, message: MessageInput, turn?: BegunTurn): Promise<void>;
}

// Enough to find the place where the conversation goes on, however long it is.
const COMPARED_MESSAGES = 200;

// A client waits for its answer meanwhile. After that its words are kept where they fall: replay keeps calls with results.
const TURN_WAIT_MS = 10_000;

/** Makes the record of client talk over a memory. Within a session one thing is stored after the other. */
export function createClientTalk(memory: Memory, { turnWaitMs = TURN_WAIT_MS } = {}): ClientTalk {
  const queues = createQueues();
  const inTurn = <T>(key: string, work: (session: Session) => Promise<T>): Promise<T> => {
    const hearing = memory.hear();
    // Its failure is told when its turn comes.
    hearing.catch(() => undefined);
    return queues.add(key, async () => {
      const heard = await hearing;
      // What others stored while this one waited belongs to what it is compared with.
      return betweenTurns(memory, key, turnWaitMs, async () => work(await memory.session(key, heard)));
    });
  };
  return {
    hear: (key, sent, isRetry = false) =>
      inTurn(key, async (session) => {
        // What is stored masked must be compared masked, or it would be new each time.
        const messages = memory.config.secrets.transcripts === "mask" ? sent.map(maskMessage) : sent;
        const known = withoutForgotten(messages, await loadForgotten(memory.store.documents));
        const found = await findUnheard(memory, session, known, isRetry);
        const unheard = found.filter(({ content }) => content !== FORGOTTEN);
        if (unheard.length === 0) return 0;
        const { left, withheld } = await withoutLateResults(memory, session, unheard);
        const stored = await session.appendAll(left);
        // The client has them, and will send them again.
        if (withheld.length > 0)
          await noteForgotten(
            memory.store,
            withheld.map(({ content }) => allText(content)),
          );
        return stored.length;
      }),
    begin: () => watchForgetting(memory.store),
    answer: (key, message, turn) =>
      inTurn(key, async (session) => {
        const begun = turn ?? (await watchForgetting(memory.store));
        const isWithheld = await begun.store(async (hasForgotten) => {
          await session.append(hasForgotten ? withoutWords(message) : message);
          return hasForgotten;
        });
        // The client has it, and will send it again.
        if (isWithheld) await noteForgotten(memory.store, [allText(message.content)]);
      }),
  };
}

/** Works while no agent is in the middle of a turn of this session, in any process, and no other client is heard. */
async function betweenTurns<T>(memory: Memory, key: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  let isBegun = false;
  const alone = (): Promise<T> => {
    isBegun = true;
    return work();
  };
  const besides = (): Promise<T> => memory.store.locks.with(`${encodeKey(key)}.hear`, alone);
  try {
    return await memory.withTurn(key, AbortSignal.timeout(waitMs), (hasFloor) => (hasFloor ? alone() : besides()));
  } catch (error) {
    if (isBegun || !isLockTimeout(error)) throw error;
  }
  try {
    return await besides();
  } catch (error) {
    // Even who hears stands still. What was said is stored first, whatever else fails.
    if (isBegun || !isLockTimeout(error)) throw error;
    return work();
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof MemoryError && error.code === "LOCK_TIMEOUT";
}

/** A client's history with what was forgotten as sessions keep it; what is said now is said anew, and stays. */
function withoutForgotten(messages: readonly MessageInput[], isForgotten: (text: string) => boolean): MessageInput[] {
  const newest = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  return messages.map((message, index) =>
    index < newest && isForgotten(allText(message.content)) ? { ...message, content: FORGOTTEN } : message,
  );
}

/** What a tool returned that was called before something was forgotten may still tell of it. */
async function withoutLateResults(memory: Memory, session: Session, messages: readonly MessageInput[]) {
  if (!messages.some(({ role }) => role === "tool")) return { left: [...messages], withheld: [] };
  const ledger = await memory.store.documents.read(FORGETTINGS_PLACE);
  const asked = session.messages(Math.max(0, session.length - 2 * COMPARED_MESSAGES));
  const timeOf = ({ role, tool_call_id: id }: MessageInput) =>
    role === "tool"
      ? asked.findLast((message) => message.tool_calls?.some((call) => call.id === id))?.timestamp
      : undefined;
  return admitTold(messages, { session: session.key, ledger, timeOf });
}

async function findUnheard(
  memory: Memory,
  session: Session,
  messages: readonly MessageInput[],
  isRetry: boolean,
): Promise<MessageInput[]> {
  const stored = (count: number) => session.messages(Math.max(0, session.length - count));
  const recent = messages.slice(-COMPARED_MESSAGES);
  if (session.length > 0) {
    const unheard = findNew(stored(2 * COMPARED_MESSAGES), recent, isRetry);
    if (unheard.length < recent.length || messages.length === 1) return unheard;
  }
  // A client that does not know of /new still sends what lies in the archive by now.
  const hasHistory = messages.some(({ role }) => role === "assistant");
  const archived = hasHistory ? await readArchive(memory, session.key) : [];
  return findNew([...archived, ...stored(2 * messages.length)], messages, isRetry);
}

/**
 * What of a client's messages is new. The first try of a retry may have been heard and answered, or may never have
 * arrived: what leaves less to be said is what happened.
 */
function findNew(stored: readonly Message[], sent: readonly MessageInput[], isRetry: boolean): MessageInput[] {
  const unheard = newMessages(stored, sent);
  if (!isRetry) return unheard;
  const unanswered = stored.slice(0, stored.findLastIndex(({ role }) => role !== "assistant") + 1);
  const again = newMessages(unanswered, sent);
  return again.length < unheard.length ? again : unheard;
}

async function readArchive(memory: Memory, key: string): Promise<readonly Message[]> {
  const stem = `${encodeKey(key)}-`;
  const heads = (await memory.store.logs.heads("archived")).filter(({ archive = "" }) => archive.startsWith(stem));
  const sorted = heads.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const newest = sorted.findLast((head) => head.key === key);
  if (newest === undefined) return [];
  const log = await memory.store.logs.openHead(newest);
  await log.load(0);
  return log.messages();
}
