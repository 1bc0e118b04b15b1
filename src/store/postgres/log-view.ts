import { z } from "zod";
import { parseLine } from "../../session/log-line.ts";
import type { MetadataLine } from "../../session/log-line.ts";
import type { StoredMessage } from "../../session/message.ts";
import type { Row } from "./engine.ts";
import type { Query, Tenant } from "./tenant.ts";

/** Which log: the present one of a key, or one of them all by its number. */
export type LogName = { key: string } | { id: number };

/** What is known of a log: its row, and the messages from `base` on. */
export interface View {
  /** Undefined while there is none. */
  id: number | undefined;
  identity: string;
  metadata: MetadataLine | undefined;
  cursor: number;
  length: number;
  waitingBytes: number;
  rewritten: number;
  base: number;
  tail: StoredMessage[];
}

/** What this process knows of logs; all that have one open share it, for as long as one of them is there. */
export interface Views {
  of(name: LogName): View;
  /** The same, where someone has it open. */
  known(name: LogName): View | undefined;
}

/** Begins to remember views. */
export function createViews(): Views {
  const known = new Map<string, WeakRef<View>>();
  const gone = new FinalizationRegistry<string>((name) => {
    if (known.get(name)?.deref() === undefined) known.delete(name);
  });
  return {
    known: (name) => known.get(JSON.stringify(name))?.deref(),
    of(name) {
      const text = JSON.stringify(name);
      const held = known.get(text)?.deref();
      if (held) return held;
      const view = emptyView();
      known.set(text, new WeakRef(view));
      gone.register(view, text);
      return view;
    },
  };
}

/** The view of a log that is not there, or not read yet. */
function emptyView(): View {
  return {
    id: undefined,
    identity: "",
    metadata: undefined,
    cursor: 0,
    length: 0,
    waitingBytes: 0,
    rewritten: 0,
    base: 0,
    tail: [],
  };
}

/** A log as its row says. */
export const LogRow = z.object({
  id: z.coerce.number(),
  key: z.string(),
  archive: z.string().nullable(),
  identity: z.string(),
  metadata: z.string(),
  cursor: z.number(),
  length: z.number(),
  bytes: z.coerce.number(),
  waiting_bytes: z.coerce.number(),
  rewritten: z.number(),
});
export type LogRow = z.infer<typeof LogRow>;

// A log this short is read whole: most are, and every question about it can then be answered at once.
const READ_WHOLE = 2000;

/** Reads the row of a log; `isLocked` keeps others from adding to it until the transaction ends. */
export async function readLogRow(ask: Query, name: LogName, isLocked = false): Promise<LogRow | undefined> {
  const lock = isLocked ? " FOR UPDATE" : "";
  const [row] =
    "id" in name
      ? await ask(`SELECT * FROM tidemark_logs WHERE workspace = $1 AND id = $2${lock}`, [name.id])
      : await ask(`SELECT * FROM tidemark_logs WHERE workspace = $1 AND key = $2 AND archive IS NULL${lock}`, [
          name.key,
        ]);
  return row === undefined ? undefined : LogRow.parse(row);
}

/** The row of a log that nobody else changes, or begins to be forgotten without, until the transaction ends. */
export async function lockLog(ask: Query, name: LogName): Promise<LogRow | undefined> {
  const row = await readLogRow(ask, name, true);
  if (row !== undefined) return row;
  await holdForgets(ask);
  // Another one may have come in its place while it was waited for, as by /new.
  return readLogRow(ask, name, true);
}

// Any number will do that nobody else locks by.
const BEGINNINGS = 5_870_223;

/**
 * Keeps a forget from being written down until the transaction ends, for whoever begins a log: one that is not there yet
 * cannot be locked. A forget that comes later finds the log; one that came before is known now.
 */
async function holdForgets(ask: Query): Promise<void> {
  await ask(`SELECT $1::text AS workspace, pg_advisory_xact_lock_shared(hashtextextended($1, ${BEGINNINGS}))`);
}

/** Waits until every log that is about to begin is there, or will never be; none begins until the transaction ends. */
export async function awaitBeginnings(ask: Query): Promise<void> {
  await ask(`SELECT $1::text AS workspace, pg_advisory_xact_lock(hashtextextended($1, ${BEGINNINGS}))`);
}

const refreshing = new WeakMap<View, Promise<void>>();

/** Brings a view up to date, one look after the other: an older one must not come last. */
export function refreshView(tenant: Tenant, view: View, name: LogName, from?: number): Promise<void> {
  const before = refreshing.get(view) ?? Promise.resolve();
  const next = before.catch(() => undefined).then(() => tenant.read((ask) => refresh(ask, view, name, from)));
  refreshing.set(view, next);
  return next;
}

/** Adds what this process has written, where it knew all that came before; false where it must look again. */
export function extendView(view: View, row: LogRow, messages: readonly StoredMessage[], bytes: number): boolean {
  if (view.id !== row.id || view.length !== row.length || view.rewritten !== row.rewritten) return false;
  if (view.base + view.tail.length !== row.length) return false;
  view.tail = [...view.tail, ...messages];
  view.length += messages.length;
  view.waitingBytes += bytes;
  return true;
}

/** Only what was added since is read, and what `from` asks for. */
async function refresh(ask: Query, view: View, name: LogName, from?: number): Promise<void> {
  const row = await readLogRow(ask, name);
  if (row === undefined) {
    Object.assign(view, emptyView());
    return;
  }
  const start = from ?? Math.min(row.cursor, Math.max(0, row.length - READ_WHOLE));
  const isSame = view.id === row.id && view.rewritten === row.rewritten && view.length <= row.length;
  const held = isSame ? view.tail : [];
  const base = isSame && held.length > 0 ? view.base : start;
  const later = await readMessages(ask, row.id, base + held.length, row.length);
  const earlier = start < base ? await readMessages(ask, row.id, start, base) : [];
  Object.assign(view, {
    ...toView(row),
    base: Math.min(base, start),
    tail: earlier.length + later.length === 0 ? held : [...earlier, ...held, ...later],
  });
}

/** Messages in `[from, to)`, oldest first. */
export async function readMessages(ask: Query, log: number, from: number, to: number): Promise<StoredMessage[]> {
  if (to <= from) return [];
  const rows = await ask(
    `SELECT ordinal, id, payload FROM tidemark_messages
     WHERE workspace = $1 AND log = $2 AND ordinal >= $3 AND ordinal < $4 ORDER BY ordinal`,
    [log, from, to],
  );
  return rows.map(toMessage);
}

/** A message as its row says. */
export function toMessage(row: Row): StoredMessage {
  const line = parseLine(Buffer.from(String(row["payload"])), 0);
  const id = String(row["id"]);
  // Nothing but messages is ever written there; one that cannot be read keeps its place.
  return line?.kind === "message" ? { ...line.message, id } : { role: "system", content: "[damaged]", id };
}

/** What the row alone tells. */
export function toView(row: LogRow): Omit<View, "base" | "tail"> {
  const line = parseLine(Buffer.from(row.metadata), 0);
  return {
    id: row.id,
    identity: row.identity,
    metadata: line?.kind === "metadata" ? line.metadata : undefined,
    cursor: row.cursor,
    length: row.length,
    waitingBytes: row.waiting_bytes,
    rewritten: row.rewritten,
  };
}
