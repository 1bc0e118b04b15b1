import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import { createTool } from "../tool.ts";

export const retireTool = createTool(
  "retire",
  "Takes one fact out of long-term memory (MEMORY.md), now. Use it when the user asks for it.",
  z.object({ fact: z.string().min(1).describe("the fact, in its own words as far as you know them") }),
  async ({ fact }, { memory, session, model, noteSaved }) => {
    const receipt = await memory.retire(session, fact, model);
    if (receipt.kind === "retired") {
      noteSaved();
      return `Taken out of MEMORY.md: "${receipt.fact}". The diary, the transcripts and the revisions still hold it. The user can take it back with /undo.`;
    }
    const candidates = receipt.kind === "unclear" ? receipt.candidates : [];
    const reason = receipt.kind === "unclear" ? receipt.reason : "it is not there";
    const list = candidates.map((candidate) => `\n- ${candidate}`).join("");
    throw new MemoryError("NOT_FOUND", `Nothing was taken out: ${reason}${list}`);
  },
);
