import type { Command } from "commander";
import type { Replayed } from "../../trust/replay.ts";
import { countOf, note, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  model?: string;
  from?: string;
  into?: string;
  json?: boolean;
}

/** Adds `replay`. */
export function addReplayCommand(program: Command): void {
  addWorkspaceOption(program.command("replay"))
    .description("rebuild memory from the transcripts in a separate folder, and compare; your memory is not touched")
    .option(
      "--model <name>",
      "the model that digests, provider/model; `digest` needs none; the configured one by default",
    )
    .option("--from <date>", "only what was said since this day or time: 2026-10-01, yesterday, …")
    .option("--into <dir>", "the folder to write to; one under .tidemark/replay by default")
    .option("--json", "print JSON")
    .action(async ({ model, from, into, json }: Options, command: Command) => {
      const { openMemory } = await import("../../memory.ts");
      await withMemory(command, { readOnly: true }, async ({ trust, config }) => {
        const { model: present, ...defaults } = config.agents.defaults;
        const { model: digester, ...consolidation } = config.consolidation;
        const chosen = model === "digest" ? undefined : (model ?? digester ?? present);
        const { readDate } = await import("../read-date.ts");
        const replayed = await trust.replay({
          from: from === undefined ? undefined : readDate(from, "since", new Date(), config.agents.defaults.timezone),
          into,
          onProgress: createProgress("Replaying messages"),
          openSide: (folder) =>
            openMemory({
              workspace: folder,
              onNotice: note,
              config: {
                ...config,
                agents: { defaults: { ...defaults, ...(chosen === undefined ? {} : { model: chosen }) } },
                consolidation: { ...consolidation, review: false },
              },
            }),
        });
        printResult(json, replayed, renderReplay);
        if (replayed.outcomes.some(({ kind }) => kind === "refused")) process.exitCode = 1;
      });
    });
}

function renderReplay({ folder, sessions, messages, outcomes, memories }: Replayed): string {
  const refused = outcomes.filter(({ kind }) => kind === "refused").length;
  return [
    `Replayed ${countOf(messages, "message")} of ${countOf(sessions, "session")} into ${folder}${refused > 0 ? `; ${refused} refused` : ""}`,
    ...memories.flatMap(({ scope, same, added, removed, reworded }) => [
      `MEMORY.md${scope === "" ? "" : ` of ${scope}`}: ${countOf(same, "fact")} the same, ${added.length} only in the replay, ${removed.length} only in your memory, ${reworded.length} reworded`,
      ...removed.map((fact) => `  - ${fact}`),
      ...added.map((fact) => `  + ${fact}`),
      ...reworded.flatMap(({ before, after }) => [`  ~ ${before}`, `    ${after}`]),
    ]),
  ].join("\n");
}
