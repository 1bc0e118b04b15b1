import { MemoryError } from "../../errors.ts";
import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "../../layout.ts";
import { decodeKey, encodeKey } from "../../session/file-name.ts";
import type { SessionLog } from "../../session/log.ts";
import { parseTimestamp } from "../../time.ts";
import type { LogHead, SessionLogs, SessionSummary } from "../session-logs.ts";
import type { StoreSetting } from "../store.ts";
import { textIn } from "./engine.ts";
import { LogRow, readLogRow, readMessages, toMessage, toView } from "./log-view.ts";
import type { LogName, Views } from "./log-view.ts";
import { createSessionLog, putLog, updatedAt } from "./session-log.ts";
import type { Query, Tenant } from "./tenant.ts";

/** The logs of a workspace as rows. */
export function createSessionLogs(
  tenant: Tenant,
  setting: StoreSetting,
  { own, shared }: { own: Views; shared: Views },
): SessionLogs {
  const { query } = tenant;
  const open = async (name: LogName, key: string, archive: string | undefined): Promise<SessionLog> => {
    const log = createSessionLog({ tenant, setting, key, name, archive, view: own.of(name), shared });
    await log.load();
    return log;
  };
  const openRow = (row: LogRow) =>
    row.archive === null ? open({ key: row.key }, row.key, undefined) : open({ id: row.id }, row.key, row.archive);
  return {
    async open(key) {
      needKey(key);
      return open({ key }, key, undefined);
    },
    async openHead({ key, archive }) {
      if (archive === undefined) return open({ key }, key, undefined);
      const row = await findArchived(query, archive);
      // One that is gone is empty: the present one of its key is another.
      return row === undefined ? open({ id: NO_LOG }, key, archive) : openRow(row);
    },
    async openArchived(name, key) {
      const row = await findArchived(query, name);
      return row?.key === key ? openRow(row) : undefined;
    },
    async find(key, identity) {
      const [row] = await query("SELECT * FROM tidemark_logs WHERE workspace = $1 AND key = $2 AND identity = $3", [
        key,
        identity,
      ]);
      if (row !== undefined) return openRow(LogRow.parse(row));
      // A session that was never begun has no identity either.
      return identity === "" ? open({ key }, key, undefined) : undefined;
    },
    async has(key) {
      needKey(key);
      return (await readLogRow(query, { key })) !== undefined;
    },
    async list() {
      const rows = await query(
        `SELECT l.*, m.id AS last_id, m.payload FROM tidemark_logs l LEFT JOIN tidemark_messages m
           ON m.workspace = l.workspace AND m.log = l.id AND m.ordinal = l.length - 1
         WHERE l.workspace = $1 AND l.archive IS NULL`,
      );
      const { timezone } = setting;
      const sessions = rows.map((each): SessionSummary => {
        const row = LogRow.parse(each);
        const { metadata, cursor, length } = toView(row);
        const last = each["payload"] === null ? undefined : toMessage({ ...each, id: each["last_id"] });
        const createdAt = metadata?.created_at ?? "";
        const path = pathOf(row.key, undefined);
        return {
          key: row.key,
          path,
          createdAt,
          updatedAt: updatedAt(metadata, last, timezone, ""),
          waitingBytes: row.waiting_bytes,
          cursor,
          messages: length,
        };
      });
      const instant = ({ updatedAt: at }: SessionSummary) => parseTimestamp(at, timezone)?.getTime() ?? 0;
      return { sessions: sessions.toSorted((one, other) => instant(other) - instant(one)), skipped: [] };
    },
    async heads(which) {
      const rows = await query(
        `SELECT key, archive, bytes FROM tidemark_logs WHERE workspace = $1 AND (archive IS NULL) = $2
         ORDER BY archive, key`,
        [which === "present"],
      );
      return rows.map((row): LogHead => {
        const key = String(row["key"]);
        const archive = row["archive"] === null ? undefined : textIn(row, "archive");
        return { path: pathOf(key, archive), key, archive, size: Number(row["bytes"]) };
      });
    },
    async put(log) {
      needKey(log.key);
      await tenant.transact((ask) => putLog(ask, log));
    },
    readLines: (path, maxBytes = Infinity) =>
      tenant.read(async (ask) => {
        const row = await findByPath(ask, path);
        if (row === undefined) return undefined;
        let text = `${row.identity}\n`;
        for (let from = 0; from < row.length && text.length < maxBytes; from += LINES_AT_ONCE) {
          const messages = await readMessages(ask, row.id, from, from + LINES_AT_ONCE);
          text += messages.map((message) => `${JSON.stringify(message)}\n`).join("");
        }
        return row.metadata === row.identity ? text : `${text}${row.metadata}\n`;
      }),
  };
}

/** A key that cannot be one is refused, as it would be where it names a file; so is one that no index takes. */
function needKey(key: string): void {
  encodeKey(key);
  if (Buffer.byteLength(key) > LONGEST_KEY || key.includes("\0"))
    throw new MemoryError(
      "KEY_INVALID",
      `A session key has ${LONGEST_KEY} bytes at most, and no NUL character: ${JSON.stringify(key.slice(0, 80))}`,
    );
}

/** The log at a path, as people know it from a folder. */
export async function findByPath(ask: Query, path: string): Promise<LogRow | undefined> {
  const [, inArchive, stem = ""] = /^sessions\/(archive\/)?([^/]+)\.jsonl$/.exec(path) ?? [];
  if (inArchive !== undefined) return findArchived(ask, `${stem}.jsonl`);
  const key = decodeKey(stem);
  if (key !== undefined) return readLogRow(ask, { key });
  // The names of long keys end in a hash.
  const rows = await ask("SELECT key FROM tidemark_logs WHERE workspace = $1 AND archive IS NULL");
  const found = rows.map((row) => String(row["key"])).find((each) => encodeKey(each) === stem);
  return found === undefined ? undefined : readLogRow(ask, { key: found });
}

async function findArchived(ask: Query, archive: string): Promise<LogRow | undefined> {
  const [row] = await ask("SELECT * FROM tidemark_logs WHERE workspace = $1 AND archive = $2", [archive]);
  return row === undefined ? undefined : LogRow.parse(row);
}

const LINES_AT_ONCE = 500;
const LONGEST_KEY = 1000;
// They are counted from 1.
const NO_LOG = 0;

function pathOf(key: string, archive: string | undefined): string {
  return archive === undefined
    ? `${SESSIONS_FOLDER}/${encodeKey(key)}.jsonl`
    : `${SESSIONS_FOLDER}/${ARCHIVE_FOLDER}/${archive}`;
}
