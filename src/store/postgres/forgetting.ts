import { parseLine } from "../../session/log-line.ts";
import { eraseLine, filesNamedIn, isMeant } from "../erase-line.ts";
import type { ErasedLog, Forgetting, LogErasure, Scan } from "../forgetting.ts";
import { removeDatabase } from "../files/database.ts";
import { holds, lower, needlesFor } from "../needles.ts";
import type { Needle } from "../needles.ts";
import { beginDocument, cleanPath, contentOf, putDocument, rangeOf } from "./documents.ts";
import { textIn } from "./engine.ts";
import type { Row } from "./engine.ts";
import { readLogRow, refreshView } from "./log-view.ts";
import type { LogRow, Views } from "./log-view.ts";
import { removeRows } from "./session-log.ts";
import { findByPath } from "./session-logs.ts";
import { countForgetting } from "./sources.ts";
import type { Query, Tenant } from "./tenant.ts";

const ELSEWHERE =
  "The database keeps what was deleted until it has vacuumed its tables, and longer in its write-ahead log, on replicas and in backups: those are for whoever runs it. Other servers throw their cache of the workspace away before they answer the next question about it, and when it was not used for a month. Exports and copies that were made before are not reached, and providers keep what they were sent. Salted hashes of the forgotten messages stay, so that a client that sends them again does not bring them back.";
const ROWS_AT_ONCE = 1000;

/** What forgetting needs besides the tables. */
export interface ForgettingSetup {
  /** The files that cache the workspace on this machine. */
  cachePaths: () => string[];
  /** What this process knows of logs. */
  shared: Views;
  /** The tokens of the locks that this process holds now. */
  heldLocks: () => readonly string[];
}

/** Forgetting over the tables of one workspace; afterwards every column of every row is looked at. */
export function createForgetting(tenant: Tenant, { cachePaths, shared, heldLocks }: ForgettingSetup): Forgetting {
  const { query, transact } = tenant;
  /** Whoever has the log open in this process must not go on showing what went. */
  const lookAgain = async (row: LogRow | undefined): Promise<void> => {
    if (row === undefined) return;
    const name = row.archive === null ? { key: row.key } : { id: row.id };
    const view = shared.known(name);
    if (view) await tenant.afterwards((outer) => refreshView(outer, view, name, view.base));
  };
  /** Runs `write` where a document says this; nobody else writes it meanwhile. */
  const ifSaying = (path: string, before: Uint8Array | undefined, write: Write) =>
    transact(async (ask) => {
      const bytes = before && (await contentOf(ask, cleanPath(path), true));
      if (before && !(bytes ?? Buffer.alloc(0)).equals(before)) return false;
      return (await write(ask, before !== undefined && bytes === undefined)) !== false;
    });
  const replace: Forgetting["replace"] = (path, content, before) =>
    ifSaying(path, before, (ask, isNew) =>
      (isNew ? beginDocument : putDocument)(ask, cleanPath(path), Buffer.from(content)),
    );
  return {
    elsewhere: ELSEWHERE,
    async list(folder) {
      const [from, to] = rangeOf(cleanPath(folder));
      const rows = await query(
        "SELECT path FROM tidemark_documents WHERE workspace = $1 AND path >= $2 AND path < $3 ORDER BY path",
        [from, to],
      );
      return rows.map((row) => String(row["path"]));
    },
    read: (path) => contentOf(query, cleanPath(path)),
    replace,
    overwrite: (path, before, text) => replace(path, text, before),
    remove: (path, before) =>
      ifSaying(path, before, (ask) =>
        ask("DELETE FROM tidemark_documents WHERE workspace = $1 AND path = $2", [cleanPath(path)]),
      ),
    async removeFolder(path) {
      const [from, to] = rangeOf(cleanPath(path));
      await query("DELETE FROM tidemark_documents WHERE workspace = $1 AND path >= $2 AND path < $3", [from, to]);
    },
    // A folder is nothing but the paths of what lies in it.
    removeIfEmpty: async () => undefined,
    async eraseLog({ path }, erasure, isTrial) {
      const { row, erased } = await transact(async (ask) => {
        const found = isTrial ? await findByPath(ask, path) : await lockByPath(ask, path);
        if (found === undefined) return { row: undefined, erased: undefined };
        return { row: found, erased: await eraseRows(ask, found, erasure, isTrial) };
      });
      if (!isTrial && erased !== undefined && erased.lines > 0) await lookAgain(row);
      return erased;
    },
    async removeLog({ path }) {
      const row = await transact(async (ask) => {
        const found = await lockByPath(ask, path);
        if (found === undefined) return undefined;
        await removeRows(ask, found.id);
        return found;
      });
      await lookAgain(row);
    },
    async finish() {
      await transact(countForgetting);
      for (const path of cachePaths()) removeDatabase(path);
      await query("DELETE FROM tidemark_locks WHERE workspace = $1 AND expires_at < clock_timestamp()");
    },
    scan: (wanted) => tenant.read((ask) => scanTables(ask, wanted.flatMap(needlesFor), new Set(heldLocks()))),
  };
}

/** Writes a document, or removes it; false where that came to nothing. `isNew` says that there was none just now. */
type Write = (ask: Query, isNew: boolean) => Promise<unknown>;

/** The log at a path as it is once nobody else can change it. */
async function lockByPath(ask: Query, path: string): Promise<LogRow | undefined> {
  const found = await findByPath(ask, path);
  return found && readLogRow(ask, { id: found.id }, true);
}

/** Takes messages out of a log: each keeps its place, id, role and time. */
async function eraseRows(ask: Query, row: LogRow, erasure: LogErasure, isTrial: boolean): Promise<ErasedLog> {
  const erased: ErasedLog = { messages: [], lines: 0, named: [], kept: [] };
  let isEmptied = false;
  for (let from = 0; from < row.length; from += ROWS_AT_ONCE) {
    const rows = await ask(
      `SELECT ordinal, payload FROM tidemark_messages
       WHERE workspace = $1 AND log = $2 AND ordinal >= $3 AND ordinal < $4 ORDER BY ordinal`,
      [row.id, from, from + ROWS_AT_ONCE],
    );
    for (const each of rows) {
      const line = parseLine(Buffer.from(String(each["payload"])), 0);
      if (line?.kind === "message" && isMeant(line.message, erasure)) isEmptied = true;
      const next = eraseLine(line, erasure, false);
      if (line?.kind === "message") (next ? erased.named : erased.kept).push(...filesNamedIn(line.message));
      if (next === undefined) continue;
      erased.lines++;
      if (next.said !== undefined) erased.messages.push(next.said);
      if (!isTrial)
        await ask("UPDATE tidemark_messages SET payload = $4 WHERE workspace = $1 AND log = $2 AND ordinal = $3", [
          row.id,
          Number(each["ordinal"]),
          next.text,
        ]);
    }
  }
  const metadata = eraseLine(parseLine(Buffer.from(row.metadata), 0), erasure, isEmptied);
  // What the log began with, which may be a title, tells it from others, and would stay otherwise.
  const identity = eraseLine(parseLine(Buffer.from(row.identity), 0), erasure, isEmptied);
  if (metadata ?? identity) erased.lines++;
  if (metadata?.said !== undefined) erased.messages.push(metadata.said);
  if (erased.lines > 0 && !isTrial)
    await ask(
      `UPDATE tidemark_logs SET metadata = $3, identity = $4, rewritten = rewritten + 1,
         version = nextval('tidemark_versions') WHERE workspace = $1 AND id = $2`,
      [row.id, metadata?.text ?? row.metadata, identity?.text ?? row.identity],
    );
  return erased;
}

async function scanTables(ask: Query, needles: readonly Needle[], held: ReadonlySet<string>): Promise<Scan> {
  const encodings = [...new Set(needles.map(({ encoding }) => encoding))];
  const tables = await listTables(ask);
  const scan: Scan = { files: 0, tables: tables.length, bytes: 0, encodings, found: [] };
  const found = new Map<string, string>();
  for (const table of tables) {
    await readTable(ask, table, (row) => {
      // The lock under which a session is forgotten has its name, and goes when this ends.
      if (table === "tidemark_locks" && held.has(String(row["token"]))) return;
      const place = table === "tidemark_documents" ? String(row["path"]) : `table ${table}`;
      for (const bytes of bytesIn(row)) {
        scan.bytes += bytes.length;
        const encoding = found.has(place) ? undefined : findIn(bytes, needles);
        if (encoding !== undefined) found.set(place, encoding);
      }
    });
  }
  for (const [path, encoding] of found) scan.found.push({ path, encoding });
  return scan;
}

/** Every table that holds a workspace, as the database knows them: none can be left out by a list of ours. */
async function listTables(ask: Query): Promise<string[]> {
  const rows = await ask(
    `SELECT $1::text AS workspace, c.oid::regclass::text AS name FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace' AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND starts_with(c.relname, 'tidemark_')
       AND pg_table_is_visible(c.oid) ORDER BY c.relname`,
  );
  return rows.map((row) => String(row["name"]));
}

async function readTable(ask: Query, table: string, look: (row: Row) => void): Promise<void> {
  await ask(`DECLARE tidemark_scan NO SCROLL CURSOR FOR SELECT * FROM ${table} WHERE workspace = $1`);
  for (;;) {
    const rows = await ask(`FETCH ${ROWS_AT_ONCE} FROM tidemark_scan`);
    for (const row of rows) look(row);
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await ask("CLOSE tidemark_scan");
}

function findIn(bytes: Buffer, needles: readonly Needle[]): string | undefined {
  const exact = bytes.toString("latin1");
  const folded = lower(bytes);
  return needles.find((needle) => holds(needle.isExact ? exact : folded, needle))?.encoding;
}

/** What stands in each column but the workspace, which is the same everywhere and no one's secret. */
function bytesIn(row: Row): Buffer[] {
  const columns = Object.keys(row).filter((column) => column !== "workspace");
  return columns.map((column) => {
    const value = row[column];
    return Buffer.from(value instanceof Uint8Array ? value : textIn(row, column));
  });
}
