import type { Command } from "commander";
import { note } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

const SAID = {
  same: "is as it was",
  saved: "is saved",
  merged: "is saved, merged with what changed meanwhile",
} as const;

/** Adds `edit`. */
export function addEditCommand(program: Command): void {
  addWorkspaceOption(program.command("edit"))
    .description("open MEMORY.md, or another text of the workspace, in your editor; what changes meanwhile is merged")
    .argument("[file]", "from the workspace, such as docs/plan.md", "memory/MEMORY.md")
    .action(async (file: string, _: object, command: Command) => {
      const { editDocument } = await import("../edit-document.ts");
      await withMemory(command, { passive: true }, async ({ store, trust }) => {
        const edited = await editDocument(store, file, process.env);
        if (edited.kind !== "conflict") {
          // On record at once: those who only look next cannot put it there, but in a folder.
          if (edited.kind !== "same") await trust.log({ limit: 1 });
          note(`${file} ${SAID[edited.kind]}`);
          return;
        }
        for (const { ours, theirs } of edited.clashes)
          note(`conflict in ${file}: yours "${ours.join(" ⏎ ")}", theirs "${theirs.join(" ⏎ ")}"`);
        note(`${file} was changed meanwhile in the same lines; nothing was saved, and your text is in ${edited.draft}`);
        process.exitCode = 1;
      });
    });
}
