import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, transact } from "../src/store/files/database.ts";
import { insertFacts } from "../src/store/files/records/facts.ts";
import { insertRun } from "../src/store/files/records/journal.ts";
import { insertRevision } from "../src/store/files/records/revisions.ts";
import { MIGRATIONS } from "../src/store/files/records/schema.ts";
import type { Apply } from "../src/history/state.ts";

const START = Date.UTC(2025, 0, 1);
const NAMES = ["Ana", "Ben", "Carla", "Dinu", "Eve", "Farid", "Gina", "Hugo"];
const THINGS = ["boat", "garden", "violin", "bakery", "bicycle", "library", "kiln", "orchard"];

/** A text about someone's thing, another one for each number. */
export function sentence(index: number): string {
  return `${NAMES[index % 8]} keeps the ${THINGS[(index >> 3) % 8]} number ${index} in order`;
}

/** Writes a session of so many messages, all digested but the newest 20. */
export function writeSession(workspace: string, key: string, messages: number): void {
  const folder = join(workspace, "sessions");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (index: number) => new Date(START + index * 60_000).toISOString();
  const begun = { _type: "metadata", log_id: `log-${key}`, key, created_at: at(0), updated_at: at(0), metadata: {} };
  const lines = [JSON.stringify({ ...begun, last_consolidated: 0 })];
  for (let index = 0; index < messages; index++)
    lines.push(
      JSON.stringify({
        role: index % 2 === 0 ? "user" : "assistant",
        content: sentence(index),
        timestamp: at(index),
        id: `m${index}`,
      }),
    );
  const cursor = Math.max(0, messages - 20);
  const offset = Buffer.byteLength(`${lines.slice(0, cursor + 1).join("\n")}\n`);
  lines.push(JSON.stringify({ ...begun, last_consolidated: cursor, tide_mark: { messages: cursor, offset } }));
  writeFileSync(join(folder, `${key.replace(":", "_")}.jsonl`), `${lines.join("\n")}\n`, { mode: 0o600 });
}

// What MEMORY.md holds while it changes: about what fits its budget.
const STANDING = 200;

/** Writes a state with so many runs, each with a revision that adds a fact and, from some time on, retires the oldest. */
export function writeHistory(workspace: string, runs: number): void {
  mkdirSync(join(workspace, ".tidemark"), { recursive: true, mode: 0o700 });
  mkdirSync(join(workspace, "memory"), { recursive: true, mode: 0o700 });
  const database = openDatabase(join(workspace, ".tidemark", "state.sqlite"), MIGRATIONS);
  const standing: string[] = [];
  const textNow = () => standing.map((fact) => `- ${fact}\n`).join("");
  transact(database, () => {
    for (let index = 0; index < runs; index++) {
      const added = sentence(index);
      const follows = standing.at(-1) ?? null;
      const before = textNow();
      standing.push(added);
      const retired = standing.length > STANDING ? standing.shift() : undefined;
      const apply = applyOf(index, added, follows, retired, { before, after: textNow() });
      insertRun(database, apply.run);
      const { scope, id, finishedAt: at, cause } = apply.run;
      const edits = apply.edits;
      insertRevision(database, { scope, file: "MEMORY.md", text: textNow(), author: "run", cause, run: id, at, edits });
      insertFacts(database, apply);
    }
  });
  database.close();
  writeFileSync(join(workspace, "memory", "MEMORY.md"), textNow(), { mode: 0o600 });
}

function applyOf(
  index: number,
  added: string,
  follows: string | null,
  retired: string | undefined,
  memory: { before: string; after: string },
): Apply {
  const at = new Date(START + index * 600_000).toISOString();
  const name = { file: "MEMORY.md", path: [], place: 0 };
  const source = {
    session: `cli:${index % 1000}`,
    message: `m${index % 200}`,
    quote: added,
    proof: "quote" as const,
    origin: index % 50 === 0 ? ("untrusted" as const) : null,
  };
  return {
    run: {
      id: `run${String(index).padStart(7, "0")}`,
      scope: "",
      session: source.session,
      from: 0,
      to: 2,
      cause: "count",
      model: "bench",
      outcome: "consolidated",
      reason: null,
      startedAt: at,
      finishedAt: at,
      usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 0 },
      counts: { kept: 199, added: 1, reworded: 0, retired: retired === undefined ? 0 : 1 },
    },
    log: null,
    entries: [],
    memory,
    edits: [
      { kind: "add", ...name, text: added, lines: [`- ${added}`], headings: [], follows, source },
      ...(retired === undefined
        ? []
        : [{ kind: "remove" as const, ...name, text: retired, was: [`- ${retired}`], reason: "of no use any more" }]),
    ],
    facts: [{ text: added, path: [], ...source }],
    retired:
      retired === undefined
        ? []
        : [{ text: retired, path: [], reason: "of no use any more", replacedBy: null, left: 0 }],
    held: null,
  };
}

/** Writes a MEMORY.md of so many facts, under headings of fifty. */
export function writeFacts(workspace: string, facts: number): void {
  mkdirSync(join(workspace, "memory"), { recursive: true, mode: 0o700 });
  const lines = ["# Memory"];
  for (let index = 0; index < facts; index++) {
    if (index % 50 === 0) lines.push("", `## Part ${index / 50}`, "");
    lines.push(`- ${sentence(index)}`);
  }
  writeFileSync(join(workspace, "memory", "MEMORY.md"), `${lines.join("\n")}\n`, { mode: 0o600 });
}
