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
    .description(
      "rebuild memory from the transcripts into a side folder, and compare; the present memory is not touched",
    )
    .option(
      "--model <name>",
      "the model that digests, provider/model; `digest` needs none; the configured one when absent",
    )
    .option("--from <date>", "only what was said from this day or time on: 2026-10-01, yesterday, …")
    .option("--into <dir>", "the side folder; one under .tidemark/replay when absent")
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
          onProgress: createProgress("Replaying sessions"),
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
      `MEMORY.md${scope === "" ? "" : ` of ${scope}`}: ${countOf(same, "fact")} the same, ${added.length} only in the replay, ${removed.length} only in the present, ${reworded.length} in other words`,
      ...removed.map((fact) => `  - ${fact}`),
      ...added.map((fact) => `  + ${fact}`),
      ...reworded.flatMap(({ before, after }) => [`  ~ ${before}`, `    ${after}`]),
    ]),
  ].join("\n");
}
