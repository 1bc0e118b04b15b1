import { z } from "zod";
import type { Verb } from "../door/verb.ts";
import type { Tool } from "./tool.ts";
import { parseArguments } from "./tool.ts";

// Sessions cut a result at 16,000 characters: so much fits in any script.
const MAX_TOKENS = 4000;

/** A verb of memory as a tool of the agent. */
export function toTool(verb: Verb): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(verb.input);
  return {
    definition: { name: verb.name, description: verb.description, parameters },
    async run(input, { memory, session, model, heard, noteSaved }) {
      const given = parseArguments(input);
      if (!given.ok) return { text: `Error: ${given.reason}`, isError: true };
      const own = await memory.session(session);
      const told = await verb.run(given.value, {
        memory,
        session,
        by: model,
        maxTokens: MAX_TOKENS,
        seen: new Set(own.messages(own.cursor).map(({ id }) => id)),
        heard,
        readsTalk: false,
      });
      const isError = told.isRefused === true;
      if (verb.effect !== "reads" && !isError) noteSaved();
      return { text: isError && !told.text.startsWith("Error:") ? `Error: ${told.text}` : told.text, isError };
    },
  };
}
