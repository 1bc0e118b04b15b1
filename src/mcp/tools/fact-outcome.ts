import { z } from "zod";
import type { Memory } from "../../memory.ts";

/** What became of a fact, for a client. */
export const FactOutcome = z.object({
  outcome: z.enum(["saved", "known", "retired", "unclear"]),
  fact: z.string().nullable().describe("as it stands, or stood, in MEMORY.md"),
  replaced: z.string().nullable(),
  reason: z.string().nullable(),
  candidates: z.array(z.string()).describe("the facts that may be meant, where it is not clear which"),
});
export type FactOutcome = z.infer<typeof FactOutcome>;

type Receipt = Awaited<ReturnType<Memory["remember"]>>;

/** Brings a receipt into the form that clients get. */
export function toOutcome(receipt: Receipt): FactOutcome {
  const nothing = { fact: null, replaced: null, reason: null, candidates: [] };
  if (receipt.kind === "unclear") {
    return { ...nothing, outcome: "unclear", reason: receipt.reason, candidates: receipt.candidates };
  }
  const replaced = receipt.kind === "saved" ? (receipt.replaced ?? null) : null;
  return { ...nothing, outcome: receipt.kind, fact: receipt.fact, replaced };
}

/** The same, for the model to read. */
export function renderOutcome({ outcome, fact, replaced, reason, candidates }: FactOutcome): string {
  if (outcome === "unclear") {
    return `Nothing was changed: ${reason ?? ""}${candidates.map((candidate) => `\n- ${candidate}`).join("")}`;
  }
  if (outcome === "known") return `Known already: "${fact}". Nothing to save.`;
  if (outcome === "retired") return `Taken out of MEMORY.md: "${fact}". It can be taken back with undo.`;
  return `Saved to MEMORY.md: "${fact}"${replaced === null ? "" : `, in place of "${replaced}"`}.`;
}
