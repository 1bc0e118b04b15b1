import { once } from "node:events";
import type { Command } from "commander";
import type { Memory, MemoryEvent } from "../../index.ts";
import { countOf, note, printable } from "../print.ts";
import { addWorkspaceOption, existingWorkspace, withMemory } from "../workspace.ts";
import { parseCount } from "../parse-count.ts";

interface Options {
  once?: boolean;
  wait: number;
  json?: boolean;
}

/** Adds `work`. */
export function addWorkCommand(program: Command): void {
  addWorkspaceOption(program.command("work"))
    .description("run the background worker: digests, notes, flushes, idle sessions, tidying")
    .option("--once", "do what is due now and exit")
    .option("--wait <seconds>", "how long a running job may take to finish on shutdown", parseCount, 10)
    .option("--json", "print each event as a line of JSON")
    .addHelpText(
      "after",
      "\nSIGTERM and SIGINT stop it: the running job may finish, the rest waits for the next start.",
    )
    .action(async (options: Options, command: Command) => {
      if (options.once) await workOnce(command, options);
      else await workOn(command, options);
    });
}

async function workOnce(command: Command, { json }: Options): Promise<void> {
  await withMemory(command, {}, async (memory) => {
    printEvents(memory, json);
    await memory.settle({ retries: 1 });
    const jobs = await memory.queue.listJobs();
    const failed = jobs.filter(({ lastError }) => lastError !== null).length;
    if (failed > 0) note(`${countOf(failed, "job")} failed and will be tried again; see tidemark doctor`);
  });
}

async function workOn(command: Command, { json, wait }: Options): Promise<void> {
  const { openMemory } = await import("../../memory.ts");
  const memory = await openMemory({ workspace: await existingWorkspace(command), onNotice: note, isLongRunning: true });
  printEvents(memory, json);
  // The memory's own timers do not keep a process alive.
  const alive = setInterval(() => undefined, 3_600_000);
  const signals = (["SIGTERM", "SIGINT"] as const).map((name) => once(process, name).then(() => name));
  // Only now: whoever reads this may stop it at once.
  note(`working in ${memory.workspace}; process ${process.pid}`);
  const signal = await Promise.race(signals);
  clearInterval(alive);
  note(`${signal}: stopping; a running job has ${countOf(wait, "second")} to finish`);
  process.once(signal, () => process.exit(1));
  await memory.close({ waitMs: wait * 1000 });
}

const TYPES = ["started", "progress", "consolidated", "flushed", "noted", "tidied", "moved", "job"] as const;

function printEvents(memory: Memory, isJson: boolean | undefined): void {
  for (const type of TYPES) {
    memory.on(type, (event) => {
      const line = isJson
        ? JSON.stringify({ at: new Date().toISOString(), ...event })
        : printable(describeEvent(event));
      if (line !== "") process.stdout.write(`${line}\n`);
    });
  }
}

function describeEvent(event: MemoryEvent): string {
  switch (event.type) {
    case "started":
      return `${event.session}: digest started, by ${event.cause}`;
    case "progress":
      return `${event.session}: ${event.done} of ${event.total}`;
    case "consolidated":
      return `${event.outcome.session}: ${event.outcome.kind}`;
    case "flushed":
      return `${event.session}: ${countOf(event.bullets.length, "bullet")} to ${event.file}`;
    case "noted":
      return `${event.session}: note ${event.file}`;
    case "tidied":
      return `MEMORY.md: ${event.merged} merged, ${event.dated} dated, ${event.moved} moved`;
    case "moved":
      return `MEMORY.md: ${countOf(event.facts.length, "fact")} moved to ${event.file}`;
    case "job":
      return event.outcome === "done" ? "" : `job ${event.name}: ${event.outcome}: ${event.reason ?? ""}`;
    case "spent":
      return "";
    case "notice":
      return event.text;
    default:
      return event satisfies never;
  }
}
