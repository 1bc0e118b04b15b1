import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `show`. */
export function addShowCommand(program: Command): void {
  addWorkspaceOption(program.command("show"))
    .description("show a run: what it read, which model, what it cost, and what it changed")
    .argument("<id>", "a run, or a revision such as r12")
    .option("--json", "print JSON")
    .action(async (id: string, { json }: { json?: boolean }, command: Command) => {
      const { renderRun, shortTime } = await import("../trust/render.ts");
      const { renderDiff } = await import("../../trust/diff-lines.ts");
      await withMemory(command, { passive: true }, async ({ trust, state }) => {
        const { run, change } = await trust.find(id);
        const facts = run ? (await state.listFacts()).filter((fact) => fact.run === run.id) : [];
        const waiting = (await trust.waiting()).find((proposal) => proposal.run === run?.id);
        const value = {
          run: run ?? null,
          revision: change?.revision ?? null,
          added: change?.added ?? [],
          removed: change?.removed ?? [],
          facts,
          waiting: waiting?.items ?? [],
        };
        printResult(json, value, () =>
          [
            run ? renderRun(run) : `Revision   r${change?.revision.id} by ${change?.revision.author}`,
            ...(change ? [`Revision   r${change.revision.id}, ${shortTime(change.revision.at)}`] : []),
            ...(waiting ? [`Waiting    ${waiting.items.length} of its changes; see tidemark review`] : []),
            ...(change ? ["", renderDiff(change.before, change.revision.text)] : []),
            ...facts.flatMap(({ text, quote, session, message }) =>
              message === null ? [] : [`  ${text}\n    ${session} ${message}${quote === null ? "" : `: “${quote}”`}`],
            ),
          ].join("\n"),
        );
      });
    });
}
