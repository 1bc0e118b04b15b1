import { basename } from "node:path";
import { describeError, MemoryError } from "../errors.ts";
import type { Documents } from "../store/documents.ts";
import { nameById } from "./log.ts";
import type { NameOf, SessionLog } from "./log.ts";
import type { MessageInput, StoredMessage } from "./message.ts";
import { DEEPEST, isDeeperThan } from "./parse-json-line.ts";
import { replay } from "./replay.ts";
import type { ReplayLimits, SentMessage } from "./replay.ts";
import { trimMessage } from "./trim-message.ts";
import type { Attachment } from "./trim-message.ts";
import { createQueue } from "../queue.ts";

/** A conversation under a key. What was said is never changed. */
export interface Session {
  readonly key: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** How far consolidation got: the number of messages that are digested. */
  readonly cursor: number;
  readonly length: number;
  /** Stores a message; it is on the disk when this resolves. An answer with neither words nor calls is not stored. */
  append(message: MessageInput): Promise<StoredMessage | undefined>;
  /** Stores several in one write. */
  appendAll(messages: readonly MessageInput[]): Promise<StoredMessage[]>;
  /**
   * Stores those that the session does not hold yet, by their id, and returns them. It holds across processes and doors:
   * of several that bring one id at the same moment one stores it. A session that begins with them begins with this metadata.
   */
  appendNew(
    messages: readonly MessageInput[],
    nameOf?: NameOf,
    metadata?: Record<string, unknown>,
  ): Promise<StoredMessage[]>;
  /** Everything that was said, digested or not, or what was said from an ordinal on. */
  messages(from?: number): readonly StoredMessage[];
  /** What may be sent to a model, from the cursor on. */
  history(limits?: ReplayLimits): SentMessage[];
  setMetadata(patch: Readonly<Record<string, unknown>>): Promise<void>;
}

/** What a session needs of the world. */
export interface SessionSetup {
  timestamp: () => string;
  newId: () => string;
  defaultMaxMessages: number;
  onAppend: (message: StoredMessage) => void;
  documents: Documents;
  /** Masks what must not be stored; nothing is masked when not given. */
  clean?: ((message: MessageInput) => MessageInput) | undefined;
  /** What the last forgetting was when the words came in that are stored; undefined where that is not known. */
  heard: () => Promise<string | undefined>;
  /** Lets what is too large for the session be written beside it, unless it was forgotten since; what is left to store. */
  keepBeside: (
    given: { said: MessageInput; message: MessageInput; heard: string | undefined },
    keep: () => Promise<void>,
  ) => Promise<MessageInput>;
}

const ROLES: readonly string[] = ["user", "assistant", "tool", "system"];

/** Makes the session that callers see out of its log. */
export function createSession(log: SessionLog, world: SessionSetup): Session {
  const folder = `sessions/files/${basename(log.path, ".jsonl")}`;
  const prepare = async (inputs: readonly MessageInput[], heard: string | undefined): Promise<StoredMessage[]> => {
    const stored: StoredMessage[] = [];
    for (const input of inputs) {
      checkInput(input);
      const said = world.clean?.(input) ?? input;
      const trimmed = trimMessage(said, folder);
      if (!trimmed) continue;
      const { message, attachments } = trimmed;
      const keep = () => keepAttachments(world.documents, folder, attachments);
      const left = attachments.length === 0 ? message : await world.keepBeside({ said, message, heard }, keep);
      stored.push(toStored(left, world));
    }
    return stored;
  };
  const preparing = createQueue();
  const store = async (
    inputs: readonly MessageInput[],
    nameOf?: NameOf,
    metadata?: Record<string, unknown>,
  ): Promise<StoredMessage[]> => {
    const hearing = world.heard();
    // One after the other: a message with a picture to write must not fall behind the ones that were said after it.
    const given = await preparing.add(async () => prepare(inputs, await hearing));
    const heard = await hearing;
    if (given.length === 0) return [];
    const stored = nameOf ? await log.appendNew(given, nameOf, metadata, heard) : given;
    if (!nameOf) await log.append(given, heard);
    const last = stored.at(-1);
    if (last) world.onAppend(last);
    return stored;
  };
  return {
    key: log.key,
    get createdAt() {
      return log.createdAt;
    },
    get updatedAt() {
      return log.updatedAt;
    },
    get metadata() {
      return log.metadata;
    },
    get cursor() {
      return log.cursor;
    },
    get length() {
      return log.length;
    },
    async append(message) {
      return (await store([message]))[0];
    },
    appendAll: (messages) => store(messages),
    // An id that we give ourselves is new; only one from outside is worth the look.
    appendNew: (messages, nameOf = nameById, metadata) =>
      messages.some(({ id }) => id !== undefined) ? store(messages, nameOf, metadata) : store(messages),
    messages: (from) => log.messages(from),
    history: (limits = {}) =>
      replay(log.messages(limits.from ?? log.cursor), { maxMessages: world.defaultMaxMessages, ...limits }),
    setMetadata: (patch) => log.setMetadata({ ...patch }),
  };
}

function checkInput({ role, content, ...rest }: MessageInput): void {
  if ("_type" in rest)
    throw new MemoryError("MESSAGE_INVALID", "A message cannot have a field _type: it marks metadata");
  if (!ROLES.includes(role)) {
    throw new MemoryError(
      "MESSAGE_INVALID",
      `A message's role must be one of ${ROLES.join(", ")}, not ${JSON.stringify(role)}`,
    );
  }
  if (content !== undefined && content !== null && typeof content !== "string" && !Array.isArray(content)) {
    throw new MemoryError("MESSAGE_INVALID", "A message's content must be text, a list of parts, or null");
  }
  if (isDeeperThan({ content, ...rest }, DEEPEST)) {
    throw new MemoryError("MESSAGE_INVALID", `A message cannot be nested deeper than ${DEEPEST} levels`);
  }
}

/** Role and words first, as people read the file. */
function toStored(message: MessageInput, world: SessionSetup): StoredMessage {
  const { role, content, timestamp, id, ...rest } = message;
  // Through JSON, so that what is in memory is what a reader of the file will see.
  const extra: Record<string, unknown> = JSON.parse(JSON.stringify(rest));
  return {
    role,
    content:
      content === undefined ? null : structuredClone(typeof content === "string" ? content : content && [...content]),
    timestamp: timestamp ?? world.timestamp(),
    id: id ?? world.newId(),
    ...extra,
  };
}

/** Whole results and pictures go to files beside the sessions, before the message that points to them. */
async function keepAttachments(
  documents: Documents,
  folder: string,
  attachments: readonly Attachment[],
): Promise<void> {
  if (attachments.length === 0) return;
  try {
    const known = new Set((await documents.list(folder)).map(({ path }) => basename(path)));
    for (const { name, bytes } of attachments) {
      // Named by content: if it is there, it is the same.
      if (!known.has(name)) await documents.write(`${folder}/${name}`, bytes);
    }
  } catch (error) {
    throw new MemoryError("SESSION_UNWRITABLE", `Cannot write to ${folder}: ${describeError(error)}`, { cause: error });
  }
}
