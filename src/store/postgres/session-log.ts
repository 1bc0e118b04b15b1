import { MemoryError } from "../../errors.ts";
import { admitHeard } from "../../files/admit-heard.ts";
import { ARCHIVE_FOLDER, FORGETTINGS_PLACE, SESSIONS_FOLDER } from "../../layout.ts";
import { batched } from "../../session/batched.ts";
import { encodeKey } from "../../session/file-name.ts";
import { nameById } from "../../session/log.ts";
import type { NameOf, SessionLog } from "../../session/log.ts";
import { parseLine } from "../../session/log-line.ts";
import type { MetadataLine } from "../../session/log-line.ts";
import type { StoredMessage } from "../../session/message.ts";
import { parseTimestamp } from "../../time.ts";
import { lastLine } from "../moving.ts";
import type { MovedLog } from "../moving.ts";
import type { StoreSetting } from "../store.ts";
import { contentOf } from "./documents.ts";
import { awaitBeginnings, extendView, lockLog, readLogRow, readMessages, refreshView, toView } from "./log-view.ts";
import type { LogName, LogRow, View, Views } from "./log-view.ts";
import type { Query, Tenant } from "./tenant.ts";

const LONGEST_ID = 500;
const ROWS_AT_ONCE = 1000;

/** What a log needs besides its rows. */
export interface LogSetup {
  tenant: Tenant;
  setting: StoreSetting;
  key: string;
  name: LogName;
  /** Its name among those that /new put away. */
  archive: string | undefined;
  /** What is known of it here. */
  view: View;
  /** What all that have a log open in this process share; nothing of a transaction that is not over. */
  shared: Views;
}

/** A log as rows. What is read at once is what was known at the last look, or what this process wrote since. */
export function createSessionLog(setup: LogSetup): SessionLog {
  const { tenant, setting, key, name, archive, view, shared } = setup;
  const begun = setting.timestamp();
  let wasThere = false;
  const load = async (from?: number): Promise<void> => {
    await refreshView(tenant, view, name, from);
    wasThere ||= view.id !== undefined;
  };
  /** Does something to the log while nobody else can; the view is as it is then, once that is there for others. */
  const change = async <T>(work: (ask: Query, row: LogRow | undefined) => Promise<T>): Promise<T> => {
    const result = await tenant.transact(async (ask) => {
      const row = await lockLog(ask, name);
      wasThere ||= row !== undefined;
      return work(ask, row);
    });
    await look();
    return result;
  };
  const look = () =>
    tenant.afterwards(async (outer) => {
      for (const known of new Set([view, shared.known(name)]))
        if (known) await refreshView(outer, known, name, known.id === undefined ? undefined : known.base);
    });
  // One write after the other, in the order in which they were asked for; what waits meanwhile goes together.
  const append = batched(async (given: HeardMessage[]): Promise<void> => {
    if (given.length === 0) return;
    let messages: StoredMessage[] = [];
    // By its number: another one may say /new before it is known whether they were added.
    let tried: LogName | undefined;
    const added = await tenant.transact(
      async (ask): Promise<Added> => {
        const row = await lockLog(ask, name);
        messages = await admitMessages(ask, key, given);
        if (messages.length === 0) return "unknown";
        const done = await insertMessages(ask, setup, row, messages, begun);
        tried = { id: done.row.id };
        return done;
      },
      async (ask) => (tried && (await holds(ask, tried, messages.at(-1))) ? "unknown" : undefined),
    );
    wasThere ||= added !== "unknown";
    const known = shared.known(name);
    const isUpToDate = known === view && added !== "unknown" && extendView(view, added.row, messages, added.bytes);
    if (!isUpToDate) await look();
  });
  return {
    path: `${SESSIONS_FOLDER}/${archive === undefined ? `${encodeKey(key)}.jsonl` : `${ARCHIVE_FOLDER}/${archive}`}`,
    key,
    get createdAt() {
      return view.metadata?.created_at ?? begun;
    },
    get updatedAt() {
      return updatedAt(view.metadata, view.tail.at(-1), setting.timezone, begun);
    },
    get metadata() {
      return view.metadata?.metadata ?? {};
    },
    get cursor() {
      return view.cursor;
    },
    get length() {
      return view.length;
    },
    get waitingBytes() {
      return view.waitingBytes;
    },
    get identity() {
      return view.identity;
    },
    load,
    messages(from = 0) {
      if (from < view.base)
        throw new MemoryError(
          "SESSION_UNREADABLE",
          `The first ${view.base} messages of ${key} are not loaded: await session.load(${from}) first`,
        );
      return view.tail.slice(from - view.base);
    },
    waiting: () => ({
      identity: view.identity,
      cursor: view.cursor,
      messages: view.tail.slice(Math.max(0, view.cursor - view.base)),
    }),
    before: (ordinal, count, identity) =>
      tenant.read(async (ask) => {
        const row = await readLogRow(ask, name);
        if (row === undefined || row.identity !== identity) return [];
        return readMessages(ask, row.id, Math.max(0, ordinal - count), ordinal);
      }),
    async append(messages, heard) {
      // Before it shares a write with others.
      messages.forEach(needId);
      await append(messages.map((message) => ({ message, heard })));
    },
    async appendNew(messages, nameOf, metadata = {}, heard) {
      messages.forEach(needId);
      return change(async (ask, known) => {
        // A log that is not there cannot be locked: of two who begin it, the second must see what the first brought.
        const row =
          known ?? (await insertLog(ask, setup, earlier(messages[0]?.timestamp, begun, setting.timezone), metadata));
        const unknown = await selectNew(ask, row, messages, nameOf);
        const given = unknown.map((message) => ({ message, heard }));
        const missing = await admitMessages(ask, key, given);
        if (missing.length > 0) await insertMessages(ask, setup, row, missing, begun);
        return missing;
      });
    },
    moveCursor: (to, identity, patch = {}) =>
      change(async (ask, row) => {
        if (row === undefined || row.identity !== identity) return false;
        if (row.cursor >= to) return true;
        if (!Number.isInteger(to) || to > row.length)
          throw new MemoryError(
            "SESSION_UNWRITABLE",
            `The cursor of ${key} cannot move to ${to}: there is no such message`,
          );
        await ask(
          `UPDATE tidemark_logs SET cursor = $3, metadata = $4, version = nextval('tidemark_versions'), waiting_bytes =
             (SELECT coalesce(sum(octet_length(payload) + 1), 0) FROM tidemark_messages
              WHERE workspace = $1 AND log = $2 AND ordinal >= $3) WHERE workspace = $1 AND id = $2`,
          [row.id, to, await describeMetadata(ask, setup, row, { cursor: to, patch, begun })],
        );
        return true;
      }),
    setMetadata: (patch) =>
      change(async (ask, known) => {
        // It was forgotten meanwhile, and so is what there was to note of it.
        if (known === undefined && wasThere) return;
        const row = known ?? (await insertLog(ask, setup, begun));
        await ask(
          `UPDATE tidemark_logs SET metadata = $3, version = nextval('tidemark_versions')
           WHERE workspace = $1 AND id = $2`,
          [row.id, await describeMetadata(ask, setup, row, { cursor: row.cursor, patch, begun })],
        );
      }),
    rotate: (prepare) =>
      change(async (ask, row) => {
        if (row === undefined || row.length === 0) return undefined;
        const archiveName = await prepare((taken) => isTaken(ask, taken));
        await ask(
          "UPDATE tidemark_logs SET archive = $3, version = nextval('tidemark_versions') WHERE workspace = $1 AND id = $2",
          [row.id, archiveName],
        );
        await insertLog(ask, setup, setting.timestamp());
        return `${SESSIONS_FOLDER}/${ARCHIVE_FOLDER}/${archiveName}`;
      }),
  };
}

/** Where messages were added; unknown where only that they were is certain. */
type Added = { row: LogRow; bytes: number } | "unknown";

async function holds(ask: Query, name: LogName, message: StoredMessage | undefined): Promise<boolean> {
  // Locked: a commit that is still under way, on a connection that we have lost, is waited for.
  let row = await readLogRow(ask, name, true);
  if (row === undefined) {
    // It may be what begins the log, too.
    await awaitBeginnings(ask);
    row = await readLogRow(ask, name);
  }
  if (row === undefined || message === undefined) return false;
  return (await selectNew(ask, row, [message], nameById)).length === 0;
}

async function isTaken(ask: Query, archive: string): Promise<boolean> {
  const rows = await ask("SELECT 1 FROM tidemark_logs WHERE workspace = $1 AND archive = $2", [archive]);
  return rows.length > 0;
}

/** Begins a log; its first line tells it from others of its key. */
async function insertLog(
  ask: Query,
  { key, setting }: LogSetup,
  begun: string,
  metadata: Record<string, unknown> = {},
): Promise<LogRow> {
  const first = JSON.stringify({
    _type: "metadata",
    log_id: setting.newId(),
    key,
    created_at: begun,
    updated_at: begun,
    metadata,
    last_consolidated: 0,
  });
  await ask(
    `INSERT INTO tidemark_logs (workspace, key, identity, metadata, cursor, length, bytes, waiting_bytes, version)
     VALUES ($1, $2, $3, $3, 0, 0, $4, 0, nextval('tidemark_versions')) ON CONFLICT DO NOTHING`,
    [key, first, Buffer.byteLength(first) + 1],
  );
  const row = await readLogRow(ask, { key }, true);
  if (row === undefined) throw new MemoryError("SESSION_UNWRITABLE", `The session ${key} could not be begun`);
  return row;
}

/** A message, and what the last forgetting was when it came in. */
interface HeardMessage {
  message: StoredMessage;
  heard: string | undefined;
}

/** Without what was forgotten since; asked once the log is locked, so that a forget finds it there or is seen here. */
async function admitMessages(ask: Query, session: string, given: readonly HeardMessage[]): Promise<StoredMessage[]> {
  if (given.every(({ heard }) => heard === undefined)) return given.map(({ message }) => message);
  const ledger = (await contentOf(ask, FORGETTINGS_PLACE))?.toString("utf8");
  return given.flatMap(({ message, heard }) => admitHeard([message], { session, mark: heard, ledger }));
}

/** Those that the log does not hold yet, each name once. */
async function selectNew(
  ask: Query,
  row: LogRow,
  messages: readonly StoredMessage[],
  nameOf: NameOf,
): Promise<StoredMessage[]> {
  const names = new Set<string>();
  if (nameOf === nameById) {
    const known = await ask(
      "SELECT id FROM tidemark_messages WHERE workspace = $1 AND log = $2 AND id = ANY ($3::text[])",
      [row.id, messages.map(({ id }) => id)],
    );
    for (const each of known) names.add(String(each["id"]));
  } else {
    for (const message of await readMessages(ask, row.id, 0, row.length)) {
      const known = nameOf(message);
      if (known !== undefined) names.add(known);
    }
  }
  return messages.filter((message) => {
    const own = nameOf(message);
    if (own === undefined) return true;
    const isNew = !names.has(own);
    names.add(own);
    return isNew;
  });
}

/** An id stands in an index, which takes no long ones. */
function needId({ id }: StoredMessage): void {
  if (Buffer.byteLength(id) <= LONGEST_ID && !id.includes("\0")) return;
  throw new MemoryError(
    "MESSAGE_INVALID",
    `The id of a message has ${LONGEST_ID} bytes at most, and no NUL character: ${JSON.stringify(id.slice(0, 80))}`,
  );
}

async function insertMessages(
  ask: Query,
  setup: LogSetup,
  known: LogRow | undefined,
  messages: readonly StoredMessage[],
  begun: string,
): Promise<{ row: LogRow; bytes: number }> {
  const first = messages[0]?.timestamp;
  const row = known ?? (await insertLog(ask, setup, earlier(first, begun, setup.setting.timezone)));
  const payloads = messages.map((message) => JSON.stringify(message));
  const bytes = payloads.reduce((sum, payload) => sum + Buffer.byteLength(payload) + 1, 0);
  await Promise.all([
    putMessages(ask, row.id, row.length, messages, payloads),
    ask(
      `UPDATE tidemark_logs SET length = length + $3, bytes = bytes + $4, waiting_bytes = waiting_bytes + $4,
       version = nextval('tidemark_versions') WHERE workspace = $1 AND id = $2`,
      [row.id, messages.length, bytes],
    ),
  ]);
  return { row, bytes };
}

/** Adds rows from an ordinal on. */
async function putMessages(
  ask: Query,
  log: number,
  from: number,
  messages: readonly StoredMessage[],
  payloads: readonly string[],
): Promise<void> {
  for (let done = 0; done < messages.length; done += ROWS_AT_ONCE)
    await ask(
      `INSERT INTO tidemark_messages (workspace, log, ordinal, id, payload)
       SELECT $1, $2, $3 + place - 1, id, payload
       FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS message (id, payload, place)`,
      [
        log,
        from + done,
        messages.slice(done, done + ROWS_AT_ONCE).map(({ id }) => id),
        payloads.slice(done, done + ROWS_AT_ONCE),
      ],
    );
}

/** Puts a log in its place, whole; one that is there goes. */
export async function putLog(ask: Query, log: MovedLog): Promise<void> {
  const there = await ask(
    `SELECT id FROM tidemark_logs WHERE workspace = $1 AND CASE WHEN $3::text IS NULL THEN key = $2 AND archive IS NULL
       ELSE archive = $3 END FOR UPDATE`,
    [log.key, log.archive ?? null],
  );
  for (const row of there) await removeRows(ask, Number(row["id"]));
  log.messages.forEach(needId);
  const payloads = log.messages.map((message) => JSON.stringify(message));
  const sizes = payloads.map((payload) => Buffer.byteLength(payload) + 1);
  const sum = (from: number) => sizes.slice(from).reduce((total, size) => total + size, 0);
  const last = lastLine(log);
  const isRead = parseLine(Buffer.from(last), 0)?.kind === "metadata";
  const [row] = await ask(
    `INSERT INTO tidemark_logs (workspace, key, archive, identity, metadata, cursor, length, bytes, waiting_bytes, version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, nextval('tidemark_versions')) RETURNING id`,
    [
      log.key,
      log.archive ?? null,
      log.identity,
      isRead ? last : log.identity,
      log.cursor,
      payloads.length,
      Buffer.byteLength(log.identity) + 1 + sum(0),
      sum(log.cursor),
    ],
  );
  await putMessages(ask, Number(row?.["id"]), 0, log.messages, payloads);
}

/** Takes a log away, by its number. */
export async function removeRows(ask: Query, log: number): Promise<void> {
  await ask("DELETE FROM tidemark_messages WHERE workspace = $1 AND log = $2", [log]);
  await ask("DELETE FROM tidemark_logs WHERE workspace = $1 AND id = $2", [log]);
}

async function describeMetadata(
  ask: Query,
  { key, setting }: LogSetup,
  row: LogRow,
  { cursor, patch, begun }: { cursor: number; patch: Record<string, unknown>; begun: string },
): Promise<string> {
  const { metadata } = toView(row);
  const [last] = await readMessages(ask, row.id, row.length - 1, row.length);
  return JSON.stringify({
    _type: "metadata",
    ...metadata,
    key,
    created_at: metadata?.created_at ?? begun,
    updated_at: updatedAt(metadata, last, setting.timezone, begun),
    metadata: { ...metadata?.metadata, ...patch },
    last_consolidated: cursor,
  });
}

/** When something was last said or noted. */
export function updatedAt(
  metadata: MetadataLine | undefined,
  last: StoredMessage | undefined,
  timezone: string,
  begun: string,
): string {
  const stored = metadata?.updated_at ?? metadata?.created_at ?? begun;
  const said = last?.timestamp;
  const saidAt = parseTimestamp(said, timezone);
  const storedAt = parseTimestamp(stored, timezone);
  if (typeof said !== "string" || saidAt === undefined) return stored;
  return storedAt === undefined || saidAt > storedAt ? said : stored;
}

/** A session begins when its first message was said, also when that is told later. */
function earlier(said: unknown, begun: string, timezone: string): string {
  const saidAt = parseTimestamp(said, timezone);
  const begunAt = parseTimestamp(begun, timezone);
  return typeof said === "string" && saidAt && begunAt && saidAt < begunAt ? said : begun;
}
