import type { Command } from "commander";
import type { Memory, Outcome } from "../../index.ts";
import type { Preview } from "../../consolidation/preview.ts";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** Adds `consolidate`. */
export function addConsolidateCommand(program: Command): void {
  addWorkspaceOption(program.command("consolidate"))
    .description("digest what is due into memory and diary, and move the cursor")
    .argument("[key]", "one session's key; every session when absent")
    .option("--all", "digest everything that is waiting, not only what is due")
    .option("--dry-run", "show what would be digested; calls no model and writes nothing")
    .option("--json", "print JSON")
    .action(async (key: string | undefined, options: Options, command: Command) => {
      await withMemory(command, { readOnly: options.dryRun === true }, async (memory) => {
        const keys = await keysOf(memory, key);
        await (options.dryRun ? showPreviews(memory, keys, options) : consolidateAll(memory, keys, options));
      });
    });
}

async function keysOf(memory: Memory, key: string | undefined): Promise<string[]> {
  if (key !== undefined) {
    const { needSession } = await import("../need-session.ts");
    return [(await needSession(memory, key)).key];
  }
  const { sessions, skipped } = await memory.listSessions();
  for (const { path, reason } of skipped) note(`${path} was skipped: ${reason}`);
  return sessions.map((session) => session.key);
}

async function consolidateAll(memory: Memory, keys: readonly string[], { all, json }: Options): Promise<void> {
  const outcomes: Outcome[] = [];
  const bars = new Map(keys.map((key) => [key, createProgress(`${key}: messages digested`)]));
  memory.on("progress", ({ session, done, total }) => bars.get(session)?.(done, total));
  for (const key of keys) {
    try {
      outcomes.push(await memory.consolidate(key, { all }));
    } catch (error) {
      // One session that cannot be read or written does not stop the others.
      note(`${key}: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    }
  }
  // Digests of archived sessions were taken up at the start.
  await memory.settle({ retries: 0 });
  const { length } = (await memory.queue.listJobs()).filter(({ lastError }) => lastError !== null);
  if (length > 0) note(`${countOf(length, "digest")} of archived sessions could not be made yet; see tidemark doctor`);
  if (json || outcomes.length > 0 || keys.length === 0) {
    printResult(json, { outcomes }, () => outcomes.map(renderOutcome).join("\n") || "No sessions yet.");
  }
  if (outcomes.some(({ kind }) => kind === "refused")) process.exitCode = 1;
}

function renderOutcome(outcome: Outcome): string {
  const { session } = outcome;
  if (outcome.kind === "nothing-due") return `${session}: nothing is due`;
  if (outcome.kind === "refused") return `${session}: refused, nothing changed: ${outcome.reason}`;
  const stretch = `${countOf(outcome.to - outcome.from, "message")} (${outcome.from}–${outcome.to - 1})`;
  if (outcome.kind === "held") return `${session}: ${stretch} in the diary; the facts are held: ${outcome.reason}`;
  if (outcome.kind === "archived-raw") return `${session}: ${stretch} archived as they were said: ${outcome.reason}`;
  const { added, reworded, retired } = outcome.counts;
  return `${session}: ${stretch} digested by ${outcome.model}; facts: ${added} added, ${reworded} reworded, ${retired} retired`;
}

async function showPreviews(memory: Memory, keys: readonly string[], { all, json }: Options): Promise<void> {
  const { renderMessage } = await import("../../consolidation/prompt.ts");
  const { timezone } = memory.config.agents.defaults;
  const previews: Preview[] = [];
  for (const key of keys) previews.push(await memory.preview(key, { all, plan: true }));
  printResult(
    json,
    { previews },
    () =>
      previews.map((preview) => renderPreview(preview, (message) => renderMessage(message, timezone))).join("\n\n") ||
      "No sessions yet.",
  );
}

type Message = NonNullable<Preview["due"]>["messages"][number];

function renderPreview({ session, due, plan }: Preview, render: (message: Message) => string): string {
  if (!due) return `${session}: nothing is due`;
  const head = `${session}: ${countOf(due.to - due.from, "message")} (${due.from}–${due.to - 1}) would be digested, by ${due.cause}`;
  const lines = due.messages.map((message) => `  ${render(message)}`);
  if (!plan) return [head, ...lines].join("\n");
  const changes = [
    ...plan.added.map((fact) => `  + ${fact}`),
    ...plan.reworded.flatMap(({ before, after }) => [`  - ${before}`, `  + ${after}`]),
    ...plan.retired.map((fact) => `  - ${fact}`),
  ];
  return [
    head,
    ...lines,
    "Diary:",
    `  ${plan.entry}`,
    "MEMORY.md:",
    ...(changes.length > 0 ? changes : ["  no change"]),
  ].join("\n");
}
