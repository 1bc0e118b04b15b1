import { parseLine } from "../../session/log-line.ts";
import { lastLine, RECORD_TABLES } from "../moving.ts";
import type { MovedLog, Moving, RecordRow, RecordTable, RecordValue } from "../moving.ts";
import { tell } from "./documents.ts";
import { toJson } from "./records/revisions.ts";
import type { Query, Tenant } from "./tenant.ts";

const ROWS_AT_ONCE = 500;
/** By which column the rows came, where they have one of their own. */
const ORDER: Readonly<Partial<Record<RecordTable, string>>> = {
  runs: "sequence",
  held: "sequence",
  answers: "sequence",
  decided: "sequence",
  journal: "sequence",
  revisions: "id",
  facts: "id",
  jobs: "id",
  outside_words: "id",
};
// Texts with any byte in them are kept as bytes.
const BYTES = new Set(["revisions.text", "heads.text"]);
const NUMBERS = new Set(
  `revisions.id heads.revision failures.count spend.calls spend.input_tokens spend.output_tokens spend.cached_tokens
   spend.cost jobs.attempts jobs.failures jobs.beginnings flushes.cursor journal.is_recorded`.split(/\s+/),
);

/** Moving into and out of the tables of one workspace. */
export function createMoving({ query, transact }: Tenant): Moving {
  return {
    async readRecords(table) {
      const columns = RECORD_TABLES[table];
      const order = ORDER[table] ?? columns.join(", ");
      const rows = await query(
        `SELECT ${columns.join(", ")} FROM tidemark_${table} WHERE workspace = $1 ORDER BY ${order}`,
      );
      return rows.map((row): RecordRow =>
        Object.fromEntries(columns.map((name) => [name, toValue(`${table}.${name}`, row[name])])),
      );
    },
    replaceRecords: (table, rows) =>
      transact(async (ask) => {
        await ask(`DELETE FROM tidemark_${table} WHERE workspace = $1`);
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
          await insertRows(ask, table, rows.slice(from, from + ROWS_AT_ONCE));
        if (table === "revisions") await countFrom(ask, rows);
      }),
    putLog: (log) =>
      transact(async (ask) => {
        await removeLog(ask, log);
        await insertLog(ask, log);
        await tell(ask, "talk");
      }),
    finish: async () => undefined,
  };
}

async function insertRows(ask: Query, table: RecordTable, rows: readonly RecordRow[]): Promise<void> {
  const columns: readonly string[] = RECORD_TABLES[table];
  const typed = columns.map((name) => `${name} ${NUMBERS.has(`${table}.${name}`) ? "numeric" : "text"}`);
  const chosen = columns.map((name) => {
    const full = `${table}.${name}`;
    if (BYTES.has(full)) return `decode(new.${name}, 'hex')`;
    return full === "journal.is_recorded" ? `new.${name} <> 0` : `new.${name}`;
  });
  const values = rows.map((row) =>
    Object.fromEntries(columns.map((name) => [name, toColumn(`${table}.${name}`, row[name] ?? null)])),
  );
  await ask(
    `INSERT INTO tidemark_${table} (workspace, ${columns.join(", ")})
     SELECT $1, ${chosen.join(", ")} FROM json_to_recordset($2::json) AS new (${typed.join(", ")})`,
    [toJson(values)],
  );
}

/** Revisions that come later go on from the last number. */
async function countFrom(ask: Query, rows: readonly RecordRow[]): Promise<void> {
  const last = rows.reduce((most, { id }) => Math.max(most, Number(id)), 0);
  await ask(
    `INSERT INTO tidemark_counters (workspace, name, value) VALUES ($1, 'revision', $2)
     ON CONFLICT (workspace, name) DO UPDATE SET value = excluded.value`,
    [last],
  );
}

async function removeLog(ask: Query, { key, archive }: MovedLog): Promise<void> {
  const rows = await ask(
    `SELECT id FROM tidemark_logs WHERE workspace = $1 AND CASE WHEN $3::text IS NULL THEN key = $2 AND archive IS NULL
       ELSE archive = $3 END FOR UPDATE`,
    [key, archive ?? null],
  );
  for (const row of rows) {
    await ask("DELETE FROM tidemark_messages WHERE workspace = $1 AND log = $2", [Number(row["id"])]);
    await ask("DELETE FROM tidemark_logs WHERE workspace = $1 AND id = $2", [Number(row["id"])]);
  }
}

async function insertLog(ask: Query, log: MovedLog): Promise<void> {
  const payloads = log.messages.map((message) => JSON.stringify(message));
  const sizes = payloads.map((payload) => Buffer.byteLength(payload) + 1);
  const sum = (from: number) => sizes.slice(from).reduce((total, size) => total + size, 0);
  const last = lastLine(log);
  const line = parseLine(Buffer.from(last), 0);
  const [row] = await ask(
    `INSERT INTO tidemark_logs (workspace, key, archive, identity, metadata, cursor, length, bytes, waiting_bytes, version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, nextval('tidemark_versions')) RETURNING id`,
    [
      log.key,
      log.archive ?? null,
      log.identity,
      line?.kind === "metadata" ? last : log.identity,
      log.cursor,
      payloads.length,
      Buffer.byteLength(log.identity) + 1 + sum(0),
      sum(log.cursor),
    ],
  );
  for (let from = 0; from < payloads.length; from += ROWS_AT_ONCE)
    await ask(
      `INSERT INTO tidemark_messages (workspace, log, ordinal, id, payload)
       SELECT $1, $2, $3 + place - 1, id, payload
       FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS message (id, payload, place)`,
      [
        Number(row?.["id"]),
        from,
        log.messages.slice(from, from + ROWS_AT_ONCE).map(({ id }) => id),
        payloads.slice(from, from + ROWS_AT_ONCE),
      ],
    );
}

function toColumn(full: string, value: RecordValue): RecordValue {
  return BYTES.has(full) && typeof value === "string" ? Buffer.from(value).toString("hex") : value;
}

function toValue(full: string, value: unknown): RecordValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null || value === undefined) return null;
  if (NUMBERS.has(full)) return Number(value);
  return typeof value === "string" || typeof value === "number" ? value : null;
}
