import { z } from "zod";
import type { Memory } from "../../memory.ts";
import { createVerb } from "../verb.ts";
import type { VerbAnswer } from "../verb.ts";

/** What became of a fact, for a client. */
const FactOutcome = z.object({
  kind: z.enum(["saved", "known", "retired", "unclear"]),
  outcome: z.enum(["saved", "known", "retired", "unclear"]).describe("the same as kind"),
  fact: z.string().nullable().describe("as it stands, or stood, in MEMORY.md"),
  heading: z.string().nullable(),
  replaced: z.string().nullable(),
  reason: z.string().nullable(),
  candidates: z.array(z.string()).describe("the facts that could be meant, where it is not clear which"),
});

/** Saves one lasting fact. */
export const remember = createVerb(
  {
    name: "remember",
    title: "Remember a fact",
    description:
      "Saves one lasting fact to long-term memory right away. Use it when the user asks for it or corrects a fact.",
    input: z.object({
      fact: z
        .string()
        .min(1)
        .max(2000)
        .describe("one sentence that will make sense in a year: names and dates, no 'today'"),
      heading: z.string().optional().describe("the section of MEMORY.md, such as Preferences"),
      replaces: z.string().optional().describe("the older fact that this one corrects, in its own words"),
    }),
    output: FactOutcome,
    effect: "adds",
    isIdempotent: true,
  },
  async (input, { memory, session, by, heard }) => tellReceipt(await memory.remember(session, { ...input, by, heard })),
);

/** Takes one fact out of MEMORY.md; `forget`, which erases every trace, is a person's to ask for. */
export const retire = createVerb(
  {
    name: "retire",
    title: "Take a fact out of memory",
    description:
      "Takes one fact out of long-term memory (MEMORY.md) right away. Use it when the user asks for it. What was said in conversations stays on record.",
    input: z.object({ fact: z.string().min(1).describe("the fact, in its own words as far as you know") }),
    output: FactOutcome,
    effect: "takes",
    isIdempotent: true,
  },
  async ({ fact }, { memory, session, by }) => tellReceipt(await memory.retire(session, fact, by)),
);

function tellReceipt(receipt: Awaited<ReturnType<Memory["remember"]>>): VerbAnswer {
  const { kind } = receipt;
  const nothing = { kind, outcome: kind, fact: null, heading: null, replaced: null, reason: null, candidates: [] };
  if (kind === "unclear") {
    const { reason, candidates } = receipt;
    const list = candidates.map((candidate) => `\n- ${candidate}`).join("");
    return {
      text: `Nothing changed: ${reason}${list}`,
      value: { ...nothing, reason, candidates },
      isRefused: true,
    };
  }
  const { fact } = receipt;
  const value = { ...nothing, fact };
  if (kind === "known") return { text: `Already known: "${fact}". Nothing to save.`, value };
  if (kind === "retired") {
    return {
      text: `Taken out of MEMORY.md: "${fact}". The diary, the transcripts and the log of changes still hold it. The user can revert this with /undo.`,
      value,
    };
  }
  const { heading, replaced = null } = receipt;
  const before = replaced === null ? "" : `, in place of "${replaced}"`;
  return {
    text: `Saved to MEMORY.md under "${heading}": "${fact}"${before}. The user can revert this with /undo.`,
    value: { ...value, heading, replaced },
  };
}
