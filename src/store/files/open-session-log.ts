import { existsSync, linkSync, readFileSync, renameSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { appendDurably, makePrivateFolder, removeIfThere, renameOver, syncFolder, writeDraft } from "./disk.ts";
import { describeError, MemoryError, systemCode } from "../../errors.ts";
import { admitHeard } from "../../files/admit-heard.ts";
import { tryLock, withLock } from "./lock.ts";
import { ARCHIVE_FOLDER } from "../../layout.ts";
import { batched } from "../../session/batched.ts";
import { parseTimestamp } from "../../time.ts";
import {
  emptyView,
  fileName,
  hasUnfinishedLine,
  isNowhereBefore,
  loadWhole,
  messagesBefore,
  refreshView,
  withAppended,
} from "./log-view.ts";
import type { Place, View } from "./log-view.ts";
import type { NameOf, SessionLog } from "../../session/log.ts";
import type { StoredMessage } from "../../session/message.ts";
import { withOrWithout } from "../with-or-without.ts";
import { dropSecondNames } from "./second-names.ts";
import { createNameIndex } from "./name-index.ts";
import type { NameIndex } from "./name-index.ts";

/** Where a log lies and what it needs to know of the world. */
export interface LogPlace extends Place {
  key: string;
  lockPath: string;
  /** The lock of whoever begins a session: no forget passes by one that is about to be there. */
  beginningLockPath: string;
  /** What was forgotten of late. */
  forgettingsPath: string;
  timezone: string;
  /** The time as it is stored. */
  timestamp: () => string;
  newId: () => string;
}

/** Opens a session file and repairs what a crash left; the file need not be there. */
export async function openSessionLog(place: LogPlace): Promise<SessionLog> {
  const begun = place.timestamp();
  let view = emptyView();
  let isWriting = false;
  let wasThere = false;
  const refresh = (isLocked: boolean): View => {
    view = refreshView(place, view, isLocked);
    wasThere ||= view.file !== undefined;
    return view;
  };
  // While this process writes, the file is ahead of the view: reading it then would count the new lines twice.
  const look = (): View => (isWriting ? view : refresh(false));
  const exclusively = async (work: (current: View) => Promise<View>) => {
    if (place.isReadOnly) throw new MemoryError("READ_ONLY", `The session ${place.key} was opened read-only`);
    await withLock(place.lockPath, async () => {
      refresh(true);
      isWriting = true;
      try {
        const isThere = existsSync(place.path);
        view = await (isThere ? work(view) : whileBeginning(place.beginningLockPath, () => work(view)));
      } finally {
        isWriting = false;
        wasThere ||= view.file !== undefined;
      }
    });
  };
  const indexes = new Map<NameOf, NameIndex>();
  const linesOf = (current: View, messages: readonly StoredMessage[], metadata = {}): string[] => {
    const lines = messages.map((message) => JSON.stringify(message));
    if (current.metadata === undefined)
      lines.unshift(metadataLine(place, current, earliest(place, begun, messages[0]), metadata));
    return lines;
  };
  const add = async (current: View, messages: readonly StoredMessage[], metadata?: Record<string, unknown>) =>
    messages.length === 0 ? current : appendLines(place, current, linesOf(current, messages, metadata));
  const append = batched((given: { message: StoredMessage; heard: string | undefined }[]) =>
    exclusively((current) => {
      const ledger = readForgettings(place);
      const messages = given.flatMap(({ message, heard }) =>
        admitHeard([message], { session: place.key, mark: heard, ledger }),
      );
      return add(current, messages);
    }),
  );

  refresh(false);
  if (hasUnfinishedLine(place, view)) {
    // Whether it is torn can only be told while nobody writes; whoever writes now need not be waited for.
    const lock = place.isReadOnly ? undefined : tryLock(place.lockPath);
    if (lock) refresh(true);
    lock?.release();
  }
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
    // Looking costs no waiting here: every read does so by itself.
    load: async () => void look(),
    messages(from = 0) {
      // "The last one" of an empty log lies before its beginning.
      if (Math.max(0, from) < look().base) view = loadWhole(place, false);
      return view.tail.slice(Math.max(0, from - view.base));
    },
    waiting() {
      const { identity, cursor } = look();
      // The cursor may lie before what was read so far.
      if (cursor < view.base) view = loadWhole(place, false);
      return { identity, cursor, messages: view.tail.slice(Math.max(0, cursor - view.base)) };
    },
    async before(ordinal, count, identity) {
      const current = look();
      return current.identity === identity ? messagesBefore(place, current, ordinal, count) : [];
    },
    append: (messages, heard) => append(messages.map((message) => ({ message, heard }))),
    async appendNew(messages, nameOf, metadata, heard) {
      const index = indexes.get(nameOf) ?? createNameIndex(nameOf);
      indexes.set(nameOf, index);
      let missing: StoredMessage[] = [];
      await exclusively(async (current) => {
        const whole = () => (current = loadWhole(place, true));
        const unknown = index.select(current, messages, whole, (ids) => isNowhereBefore(place, current, ids));
        missing = admitHeard(unknown, { session: place.key, mark: heard, ledger: readForgettings(place) });
        return add(current, missing, metadata);
      });
      return missing;
    },
    async moveCursor(to, identity, patch = {}) {
      let isHere = false;
      await exclusively(async (current) => {
        isHere = current.identity === identity;
        if (!isHere || current.cursor >= to) return current;
        return appendLines(place, current, [metadataLine(place, moveTo(place, current, to), begun, patch)]);
      });
      return isHere;
    },
    setMetadata(patch) {
      return exclusively(async (current) => {
        // It was forgotten meanwhile, and so is what there was to note of it.
        if (current.file === undefined && wasThere) return current;
        return appendLines(place, current, [metadataLine(place, current, begun, patch)]);
      });
    },
    async rotate(prepare) {
      let archivePath: string | undefined;
      await exclusively(async (current) => {
        if (current.base + current.tail.length === 0) return current;
        const folder = join(dirname(place.path), ARCHIVE_FOLDER);
        dropSecondNames(place.path, place.key);
        archivePath = join(folder, await prepare(async (name) => existsSync(join(folder, name))));
        const first = metadataLine(place, emptyView(), place.timestamp(), {});
        await moveAway(place.path, archivePath, `${first}\n`);
        return withAppended(emptyView(), [first], fileName(await stat(place.path)));
      });
      return archivePath;
    },
  };
}

const BEGINNING_WAIT_MS = 1000;

/** Who stands still with that lock keeps nobody from beginning a session. */
function whileBeginning<T>(lockPath: string, work: () => Promise<T>): Promise<T> {
  return withOrWithout((begin) => withLock(lockPath, begin, BEGINNING_WAIT_MS), work);
}

function readForgettings({ forgettingsPath }: LogPlace): string | undefined {
  try {
    return readFileSync(forgettingsPath, "utf8");
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
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
      await appendDurably(
        file,
        Buffer.from(text),
        view.size,
        view.file === undefined ? dirname(place.path) : undefined,
      );
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

/**
 * Gives the file its other name first and then puts the next one in its place, so that those who read find a session at
 * every instant. Killed in between, one file has two names: see `dropSecondNames`.
 */
async function moveAway(path: string, archivePath: string, nextText: string): Promise<void> {
  await makePrivateFolder(dirname(archivePath));
  const draft = await writeDraft(path, nextText);
  try {
    // At once, with nothing awaited: the disk keeps the order of the two, and a kill hardly ever comes between them.
    giveSecondName(path, archivePath);
    renameOver(draft, path);
  } catch (error) {
    await removeIfThere(draft);
    throw error;
  }
  await syncFolder(dirname(archivePath));
  await syncFolder(dirname(path));
}

function giveSecondName(path: string, archivePath: string): void {
  try {
    linkSync(path, archivePath);
  } catch (error) {
    // Some file systems know one name a file; there it is gone for a moment.
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK", "EXDEV"].includes(systemCode(error) ?? "")) throw error;
    renameSync(path, archivePath);
  }
}
