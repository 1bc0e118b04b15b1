import { z } from "zod";
import { createVerb } from "../verb.ts";

/** Takes back the newest change of memory. */
export const undo = createVerb(
  {
    name: "undo",
    title: "Undo the newest change of memory",
    description:
      "Takes back the newest change of long-term memory (MEMORY.md) that was not a person's own. Use it when the user says that something was remembered or taken out by mistake.",
    input: z.object({}),
    effect: "adds",
  },
  async (_, { memory, session, by }) => {
    const outcome = await memory.undo({ key: session, by });
    if (outcome.kind === "undone") {
      const lines = [...outcome.removed.map((fact) => `- ${fact}`), ...outcome.restored.map((fact) => `+ ${fact}`)];
      return { text: [`Took back: ${outcome.cause}.`, ...lines].join("\n"), value: outcome };
    }
    const reason =
      outcome.kind === "conflict"
        ? `these facts were changed since: ${outcome.facts.join("; ")}`
        : "there is nothing to undo.";
    return { text: `Nothing was undone: ${reason}`, value: outcome, isRefused: true };
  },
);
