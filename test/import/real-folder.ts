import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../support/workspace.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

/**
 * A folder that the real program wrote, run from npm against a scripted model; without the text of its prompts. Its
 * databases are kept as SQL and made anew, with everything in the write-ahead log, as a program leaves it that runs.
 */
export function realFolder(name: string): string {
  const root = join(temporaryFolder(), name);
  cpSync(join(FIXTURES, name), root, { recursive: true });
  for (const file of filesBelow(root, ".sql")) {
    makeDatabase(file, PLACES[basename(file)] ?? basename(file, ".sql"));
    rmSync(file);
  }
  return root;
}

const PLACES: Readonly<Record<string, string>> = {
  "opencode.sql": "opencode.db",
  "openclaw-agent.sql": "agents/main/agent/openclaw-agent.sqlite",
};

function makeDatabase(sql: string, place: string): void {
  const target = join(dirname(sql), place);
  mkdirSync(dirname(target), { recursive: true });
  const database = new DatabaseSync(`${target}.made`);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;");
  database.exec(readFileSync(sql, "utf8"));
  // Copied while it is open: closing would merge the log.
  for (const end of ["", "-wal"]) cpSync(`${target}.made${end}`, `${target}${end}`);
  database.close();
  rmSync(`${target}.made`);
}

/** The files of an ending below a folder. */
export function filesBelow(root: string, ending: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, name))
    .toSorted();
}

/** The folder as it was some time earlier: the last messages of each conversation are not there yet. */
export function makeEarlier(root: string): void {
  for (const file of filesBelow(root, ".jsonl")) {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${lines.slice(0, Math.ceil(lines.length * 0.6)).join("\n")}\n`);
  }
  for (const file of filesBelow(root, ".json")) {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const list = Array.isArray(value) ? value : Object.values(value ?? {}).find((each) => Array.isArray(each));
    if (list && !file.endsWith("sessions.json")) list.splice(Math.ceil(list.length * 0.6));
    writeFileSync(file, JSON.stringify(value));
  }
  for (const [ending, statement] of [
    ["opencode.db", "DELETE FROM message WHERE time_created > (SELECT avg(time_created) FROM message)"],
    ["openclaw-agent.sqlite", "DELETE FROM transcript_events WHERE seq > 11"],
  ] as const)
    for (const file of filesBelow(root, ending)) {
      const database = new DatabaseSync(file);
      database.exec(statement);
      database.close();
    }
}
