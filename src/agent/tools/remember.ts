import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import { createTool } from "../tool.ts";

export const rememberTool = createTool(
  "remember",
  "Saves one lasting fact to long-term memory, now. Use it when the user asks for it or corrects a fact.",
  z.object({
    fact: z.string().min(1).describe("one sentence that will make sense in a year: names and dates, no 'today'"),
    heading: z.string().optional().describe("the section of MEMORY.md, such as Preferences"),
    replaces: z.string().optional().describe("the older fact that this one corrects, in its own words"),
  }),
  async ({ fact, heading, replaces }, { memory, session, model, noteSaved }) => {
    const receipt = await memory.remember(session, { fact, heading, replaces, by: model });
    if (receipt.kind === "unclear") {
      const list = receipt.candidates.map((candidate) => `\n- ${candidate}`).join("");
      throw new MemoryError("NOT_FOUND", `Nothing was saved: ${receipt.reason}${list}`);
    }
    noteSaved();
    if (receipt.kind !== "saved") return `Known already: "${receipt.fact}". Nothing to save.`;
    const before = receipt.replaced === undefined ? "" : `, in place of "${receipt.replaced}"`;
    return `Saved to MEMORY.md under "${receipt.heading}": "${receipt.fact}"${before}. The user can take it back with /undo.`;
  },
);
