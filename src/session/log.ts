import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { appendDurably, makePrivateFolder, syncFolder } from "../disk.ts";
import { describeError, MemoryError } from "../errors.ts";
import { withLock } from "../lock.ts";
import { parseTimestamp } from "../time.ts";
import { emptyView, fileName, loadWhole, refreshView, withAppended } from "./log-view.ts";
import type { Place, View } from "./log-view.ts";
import type { StoredMessage } from "./message.ts";

/** Where a log lies and what it needs to know of the world. */
export interface LogPlace extends Place {
  key: string;
  lockPath: string;
  timezone: string;
  /** The time as it is stored. */
  timestamp: () => string;
  newId: () => string;
}

/** One session file: lines are only ever added, and the file is read anew when another process added some. */
export interface SessionLog {
  readonly path: string;
  readonly key: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: Record<string, unknown>;
  readonly cursor: number;
  readonly length: number;
  /** The bytes of what is not digested yet, on disk; more than its words can have. */
  readonly waitingBytes: number;
  /** Tells this log from the one that /new begins under the same key. */
  readonly identity: string;
  /** Messages from this ordinal on; those before the cursor are read from the disk only when asked for. */
  messages(from?: number): readonly StoredMessage[];
  append(messages: readonly StoredMessage[]): Promise<void>;
  moveCursor(to: number, metadata?: Record<string, unknown>): Promise<void>;
  setMetadata(patch: Record<string, unknown>): Promise<void>;
  /**
   * Moves the file to where `prepare` says and begins an empty one. `prepare` runs while no one can append or rotate;
   * an empty log stays where it is, and undefined comes back.
   */
  rotate(prepare: () => Promise<string>): Promise<string | undefined>;
}

/** Opens a session file and repairs what a crash left; the file need not be there. */
export async function openSessionLog(place: LogPlace): Promise<SessionLog> {
  const begun = place.timestamp();
  let view = emptyView();
  let isWriting = false;
  // While this process writes, the file is ahead of the view: reading it then would count the new lines twice.
  const look = (): View => (isWriting ? view : (view = refreshView(place, view, false)));
  const exclusively = (work: (current: View) => Promise<View>) =>
    withLock(place.lockPath, async () => {
      view = refreshView(place, view, true);
      isWriting = true;
      try {
        view = await work(view);
      } finally {
        isWriting = false;
      }
    });
  const write = (linesOf: (current: View) => string[], since = begun) =>
    exclusively((current) => {
      const lines = linesOf(current);
      if (current.metadata === undefined) lines.unshift(metadataLine(place, current, since, {}));
      return appendLines(place, current, lines);
    });
  const append = batched((messages: StoredMessage[]) =>
    write(() => messages.map((message) => JSON.stringify(message)), earliest(place, begun, messages[0])),
  );

  await exclusively((current) => Promise.resolve(current));
  return {
    path: place.path,
    key: place.key,
    get createdAt() {
      return look().metadata?.created_at ?? begun;
    },
    get updatedAt() {
      return updatedAt(place, look(), begun);
    },
    get metadata() {
      return look().metadata?.metadata ?? {};
    },
    get cursor() {
      return look().cursor;
    },
    get length() {
      const current = look();
      return current.base + current.tail.length;
    },
    get waitingBytes() {
      const current = look();
      return current.size - (cursorOffset(current) ?? 0);
    },
    get identity() {
      return look().identity;
    },
    messages(from = 0) {
      if (from < look().base) view = loadWhole(place, false);
      return view.tail.slice(Math.max(0, from - view.base));
    },
    append,
    moveCursor(to, patch = {}) {
      return write((current) => [metadataLine(place, moveTo(place, current, to), begun, patch)]);
    },
    setMetadata(patch) {
      return write((current) => [metadataLine(place, current, begun, patch)]);
    },
    async rotate(prepare) {
      let archivePath: string | undefined;
      await exclusively(async (current) => {
        if (current.base + current.tail.length === 0) return current;
        archivePath = await prepare();
        await archive(place.path, archivePath);
        return appendLines(place, emptyView(), [metadataLine(place, emptyView(), place.timestamp(), {})]);
      });
      return archivePath;
    },
  };
}

function moveTo(place: LogPlace, view: View, to: number): View {
  if (!Number.isInteger(to) || to < 0 || to > view.base + view.tail.length) {
    throw new MemoryError(
      "SESSION_UNWRITABLE",
      `The cursor of ${place.key} cannot move to ${to}: there is no such message`,
    );
  }
  return { ...view, cursor: to };
}

function metadataLine(place: LogPlace, view: View, begun: string, patch: Record<string, unknown>): string {
  const { cursor } = view;
  const offset = cursorOffset(view);
  // The marker that findLastMetadata looks for must come first.
  return JSON.stringify({
    _type: "metadata",
    ...view.metadata,
    // Two logs of one key may begin in the same millisecond; this tells their first lines apart.
    log_id: view.metadata?.["log_id"] ?? place.newId(),
    key: place.key,
    created_at: view.metadata?.created_at ?? begun,
    updated_at: updatedAt(place, view, begun),
    metadata: { ...view.metadata?.metadata, ...patch },
    last_consolidated: cursor,
    tide_mark: offset === undefined || cursor === 0 || view.needsNewline ? undefined : { messages: cursor, offset },
  });
}

/** The byte at which the first undigested message begins. */
function cursorOffset({ cursor, base, tail, size, offsets }: View): number | undefined {
  return cursor === base + tail.length ? size : offsets[cursor - base];
}

function updatedAt(place: LogPlace, view: View, begun: string): string {
  const stored = view.metadata?.updated_at ?? view.metadata?.created_at ?? begun;
  const said = view.tail.at(-1)?.timestamp;
  const saidAt = parseTimestamp(said, place.timezone);
  const storedAt = parseTimestamp(stored, place.timezone);
  if (typeof said !== "string" || saidAt === undefined) return stored;
  return storedAt === undefined || saidAt > storedAt ? said : stored;
}

/** A session begins when its first message was said, also when that is told later. */
function earliest(place: LogPlace, begun: string, message: StoredMessage | undefined): string {
  const said = message?.timestamp;
  const saidAt = parseTimestamp(said, place.timezone);
  const begunAt = parseTimestamp(begun, place.timezone);
  return typeof said === "string" && saidAt && begunAt && saidAt < begunAt ? said : begun;
}

async function appendLines(place: LogPlace, view: View, lines: readonly string[]): Promise<View> {
  const text = `${view.needsNewline ? "\n" : ""}${lines.join("\n")}\n`;
  try {
    if (view.file === undefined) await makePrivateFolder(dirname(place.path));
    const file = await open(place.path, "a", 0o600);
    try {
      if (view.file === undefined) await file.chmod(0o600);
      await appendDurably(file, Buffer.from(text), view.size);
      if (view.file === undefined) await syncFolder(dirname(place.path));
      return withAppended(view, lines, view.file ?? fileName(await file.stat()));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new MemoryError("SESSION_UNWRITABLE", `Cannot write the session ${place.path}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

async function archive(path: string, archivePath: string): Promise<void> {
  await makePrivateFolder(dirname(archivePath));
  await rename(path, archivePath);
  await syncFolder(dirname(archivePath));
  await syncFolder(dirname(path));
}

/** Gathers what is asked for while a write is under way into the next write, so that many callers share one sync. */
function batched<T>(writeAll: (items: T[]) => Promise<void>): (items: readonly T[]) => Promise<void> {
  let waiting: T[] = [];
  let next: Promise<void> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  return (items) => {
    // Not spread: a hundred thousand arguments are more than a call can take.
    for (const item of items) waiting.push(item);
    next ??= running.then(() => {
      const batch = waiting;
      waiting = [];
      next = undefined;
      const written = writeAll(batch);
      // The next batch waits for this one, whether or not it failed; its failure reaches those who asked for it.
      running = written.catch(() => undefined);
      return written;
    });
    return next;
  };
}
