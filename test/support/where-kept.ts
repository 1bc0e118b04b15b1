import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { encodeKey } from "../../src/session/file-name.ts";
import type { Row } from "../../src/store/postgres/engine.ts";
import { tenantOf, testStore } from "./kept.ts";

/**
 * Where a workspace holds these bytes, in any case of letters: the files of a folder, or what would be one and else the
 * table, looking at every column of every row. It shares nothing with the scan that `forget` makes.
 */
export async function whereKept(workspace: string, text: string): Promise<string[]> {
  const wanted = Buffer.from(text).toString("latin1").toLowerCase();
  const isIn = (bytes: Buffer) => bytes.toString("latin1").toLowerCase().includes(wanted);
  if (testStore === undefined) {
    const names = readdirSync(workspace, { recursive: true, encoding: "utf8" });
    return names.filter((name) => isFile(join(workspace, name)) && isIn(readFileSync(join(workspace, name))));
  }
  const { query } = tenantOf(workspace);
  const logs = new Map(
    (await query("SELECT * FROM tidemark_logs WHERE workspace = $1")).map((row) => [row["id"], row]),
  );
  const tables = await query(
    `SELECT $1::text AS workspace, relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition AND relname LIKE 'tidemark_%' AND relname <> 'tidemark_version'`,
  );
  const found = new Set<string>();
  for (const { relname } of tables) {
    const table = String(relname);
    for (const row of await query(`SELECT * FROM ${table} WHERE workspace = $1`)) {
      const { workspace: _, ...columns } = row;
      if (Object.values(columns).some((value) => isIn(bytesOf(value)))) found.add(nameOf(table, row, logs));
    }
  }
  return [...found].toSorted();
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
}

function nameOf(table: string, row: Row, logs: ReadonlyMap<unknown, Row>): string {
  if (table === "tidemark_documents") return String(row["path"]);
  const log = table === "tidemark_logs" ? row : table === "tidemark_messages" ? logs.get(row["log"]) : undefined;
  if (log === undefined) return table;
  const { archive, key } = log;
  return typeof archive === "string" ? `sessions/archive/${archive}` : `sessions/${encodeKey(String(key))}.jsonl`;
}
