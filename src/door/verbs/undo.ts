import { z } from "zod";
import { createVerb } from "../verb.ts";

/** Takes back the newest change of memory. */
export const undo = createVerb(
  {
    name: "undo",
    title: "Undo the newest change to memory",
    description:
      "Reverts the newest change to long-term memory (MEMORY.md) that a person did not make. Use it when the user says that something was remembered or taken out by mistake.",
    input: z.object({}),
    effect: "adds",
  },
  async (_, { memory, session, by }) => {
    const outcome = await memory.undo({ key: session, by });
    if (outcome.kind === "undone") {
      const lines = [...outcome.removed.map((fact) => `- ${fact}`), ...outcome.restored.map((fact) => `+ ${fact}`)];
      return { text: [`Undid: ${outcome.cause}.`, ...lines].join("\n"), value: outcome };
    }
    const reason =
      outcome.kind === "conflict"
        ? `these facts have changed since: ${outcome.facts.join("; ")}`
        : "there is nothing to undo.";
    return { text: `Nothing was undone: ${reason}`, value: outcome, isRefused: true };
  },
);
