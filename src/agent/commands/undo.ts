import type { Command } from "../command.ts";

/** /undo takes back the newest change of MEMORY.md. */
export const undoCommand: Command = {
  name: "undo",
  summary: "undoes the newest change to MEMORY.md; run it again for the one before",
  async run(_, { memory, session }) {
    const outcome = await memory.undo({ key: session, by: "user" });
    if (outcome.kind === "nothing") return "There is no change to MEMORY.md to undo.";
    if (outcome.kind === "conflict") {
      const list = outcome.facts.map((fact) => `\n- ${fact}`).join("");
      return `Not undone: MEMORY.md has been edited since, and these facts are no longer as that change left them:${list}\nEdit MEMORY.md by hand.`;
    }
    const lines = [...outcome.removed.map((fact) => `- ${fact}`), ...outcome.restored.map((fact) => `+ ${fact}`)];
    const what = lines.length === 0 ? "" : `\n${lines.join("\n")}`;
    return `Undone: the change of ${outcome.at.slice(0, 16).replace("T", " ")} (${outcome.cause}).${what}`;
  },
};
