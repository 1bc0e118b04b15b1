import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANGE_VERSION, hashText } from "../src/history/change.ts";
import type { Change } from "../src/history/change.ts";
import { makePatch, WHOLE_EVERY } from "../src/history/text-patch.ts";

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

/** Writes a log of so many changes, each of which adds a fact and, from some time on, retires the oldest. */
export function writeHistory(workspace: string, changes: number): void {
  for (const folder of ["changes", "memory"]) mkdirSync(join(workspace, folder), { recursive: true, mode: 0o700 });
  const lines = [JSON.stringify({ _type: "changes", version: CHANGE_VERSION, log: "bench", scope: "" })];
  const standing: string[] = [];
  let text = "";
  for (let index = 0; index < changes; index++) {
    const added = sentence(index);
    const follows = standing.at(-1) ?? null;
    standing.push(added);
    const retired = standing.length > STANDING ? standing.shift() : undefined;
    const after = standing.map((fact) => `- ${fact}\n`).join("");
    lines.push(JSON.stringify(changeOf(index, { added, follows, retired, before: text, after })));
    text = after;
  }
  writeFileSync(join(workspace, "changes", "memory.jsonl"), `${lines.join("\n")}\n`, { mode: 0o600 });
  writeFileSync(join(workspace, "memory", "MEMORY.md"), text, { mode: 0o600 });
}

interface Made {
  added: string;
  follows: string | null;
  retired: string | undefined;
  before: string;
  after: string;
}

function changeOf(index: number, { added, follows, retired, before, after }: Made): Change {
  const at = new Date(START + index * 600_000).toISOString();
  const name = { file: "MEMORY.md", path: [], place: 0 };
  const source = {
    session: `cli:${index % 1000}`,
    message: `m${index % 200}`,
    quote: added,
    proof: "quote" as const,
    origin: index % 50 === 0 ? ("untrusted" as const) : null,
  };
  const hashes = { file: "MEMORY.md", before: hashText(before), after: hashText(after) };
  return {
    id: `change${String(index).padStart(7, "0")}`,
    at,
    startedAt: at,
    scope: "",
    author: "model",
    by: "bench",
    cause: "digest",
    trigger: "count",
    of: null,
    outcome: "consolidated",
    reason: null,
    stretch: { session: source.session, identity: "", from: 0, to: 2 },
    usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 0 },
    counts: { kept: 199, added: 1, reworded: 0, retired: retired === undefined ? 0 : 1 },
    text: index % WHOLE_EVERY === 0 ? { ...hashes, whole: after } : { ...hashes, patch: makePatch(before, after) },
    edits: [
      { kind: "add", ...name, text: added, lines: [`- ${added}`], headings: [], follows, source },
      ...(retired === undefined
        ? []
        : [{ kind: "remove" as const, ...name, text: retired, was: [`- ${retired}`], reason: "of no use any more" }]),
    ],
    entries: [],
    held: null,
    decision: null,
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
