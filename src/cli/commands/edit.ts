import type { Command } from "commander";
import { note } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `edit`. */
export function addEditCommand(program: Command): void {
  addWorkspaceOption(program.command("edit"))
    .description("open MEMORY.md, or another text of the workspace, in your editor; what changes meanwhile is merged")
    .argument("[file]", "from the workspace, such as docs/plan.md", "memory/MEMORY.md")
    .action(async (file: string, _: object, command: Command) => {
      const { editDocument } = await import("../edit-document.ts");
      await withMemory(command, { passive: true }, async ({ store }) => {
        const { kind, draft } = await editDocument(store, file, process.env);
        if (kind === "same") note(`${file} is as it was`);
        else if (kind === "saved") note(`${file} is saved`);
        else if (kind === "merged") note(`${file} is saved, merged with what changed meanwhile`);
        else {
          note(`${file} was changed meanwhile in the same lines; nothing was saved, and your text is in ${draft}`);
          process.exitCode = 1;
        }
      });
    });
}
