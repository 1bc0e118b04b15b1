import { join } from "node:path";
import { ARCHIVE_FOLDER, sessionsPath, statePath } from "../../layout.ts";
import { encodeKey } from "../../session/file-name.ts";
import { lastLine, RECORD_TABLES } from "../moving.ts";
import type { Moving, RecordRow, RecordTable, RecordValue } from "../moving.ts";
import { openDatabase, transact, whenFree } from "./database.ts";
import type { Database } from "./database.ts";
import { replaceFile } from "./disk.ts";
import { MIGRATIONS } from "./records/schema.ts";
import { renewTurns } from "./records/turns.ts";

/** Moving into and out of a folder. */
export function createFileMoving(workspace: string): Moving {
  const inState = <T>(work: (database: Database) => T): Promise<T> =>
    whenFree(() => {
      const database = openDatabase(statePath(workspace), MIGRATIONS);
      try {
        return work(database);
      } finally {
        database.close();
      }
    });
  return {
    readRecords: (table) =>
      inState((database) => {
        const columns = RECORD_TABLES[table];
        const rows = database.prepare(`SELECT ${columns.join(", ")} FROM ${nameOf(table)} ORDER BY rowid`).all();
        return rows.map((row): RecordRow => Object.fromEntries(columns.map((name) => [name, toValue(row[name])])));
      }),
    replaceRecords: (table, rows) =>
      inState((database) =>
        transact(database, () => {
          const columns: readonly string[] = RECORD_TABLES[table];
          // What stays behind of a broken copy may name what is not there yet.
          database.exec("PRAGMA defer_foreign_keys = ON");
          database.exec(`DELETE FROM ${nameOf(table)}`);
          const insert = database.prepare(
            `INSERT INTO ${nameOf(table)} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
          );
          for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
        }),
      ),
    async putLog(log) {
      const name = log.archive ?? `${encodeKey(log.key)}.jsonl`;
      const folder =
        log.archive === undefined ? sessionsPath(workspace) : join(sessionsPath(workspace), ARCHIVE_FOLDER);
      const lines = [log.identity, ...log.messages.map((message) => JSON.stringify(message)), lastLine(log)];
      await replaceFile(join(folder, name), `${lines.join("\n")}\n`);
    },
    finish: () =>
      inState((database) =>
        transact(database, () => {
          for (const row of database.prepare("SELECT DISTINCT scope, file FROM revisions").all())
            renewTurns(database, String(row["scope"]), String(row["file"]));
        }),
      ),
  };
}

function nameOf(table: RecordTable): string {
  return table === "outside_salts" ? "outside_salt" : table;
}

function toValue(value: unknown): RecordValue {
  return typeof value === "string" || typeof value === "number" ? value : null;
}
