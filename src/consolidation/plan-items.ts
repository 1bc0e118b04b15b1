import { z } from "zod";
import { parseFacts } from "../files/facts.ts";
import { SourcedFact } from "../state/state.ts";
import type { RetiredFact } from "../state/state.ts";
import { Answer } from "./answer.ts";
import { editFacts } from "./edit-facts.ts";
import type { Edit } from "./edit-facts.ts";
import { precedingFact } from "./plan.ts";
import type { Plan } from "./plan.ts";

/** One thing that a plan does to MEMORY.md, to be judged on its own. */
export const PlanItem = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("add"), fact: z.string() }),
  z.object({ kind: z.literal("reword"), before: z.string(), fact: z.string() }),
  z.object({ kind: z.literal("retire"), fact: z.string(), reason: z.string() }),
]);
export type PlanItem = z.infer<typeof PlanItem>;

/** What waits for a person: the items, why, and what is needed to carry them out later. */
export const Held = z.object({
  base: z.string(),
  answer: z.object({ ...Answer.shape, history_entry: z.string(), memory_update: z.string() }),
  session: z.string(),
  from: z.number(),
  to: z.number(),
  reason: z.string(),
  items: z.array(PlanItem),
  /** Where the facts come from. */
  facts: z.array(SourcedFact),
});
export type Held = z.infer<typeof Held>;

/** What a plan does, thing by thing. */
export function itemsOf(plan: Plan): PlanItem[] {
  return [
    ...plan.added.map((fact): PlanItem => ({ kind: "add", fact })),
    ...plan.reworded.map(({ before, after }): PlanItem => ({ kind: "reword", before, fact: after })),
    ...plan.retired.map(({ fact, reason }): PlanItem => ({ kind: "retire", fact, reason })),
  ];
}

/** Carries out some of a plan's items on the present text; `proposed` knows where new facts belong. */
export function applyItems(current: string, proposed: string, items: readonly PlanItem[]): string {
  const known = new Set(parseFacts(current).map(({ text }) => text));
  const proposedFacts = parseFacts(proposed);
  const edits = items.flatMap((item): Edit[] => {
    if (item.kind === "retire") return known.has(item.fact) ? [{ kind: "remove", text: item.fact }] : [];
    if (item.kind === "reword" && known.has(item.before)) {
      if (known.has(item.fact)) return [{ kind: "remove", text: item.before }];
      return [{ kind: "replace", text: item.before, by: item.fact }];
    }
    if (known.has(item.fact)) return [];
    const fact = proposedFacts.find(({ text }) => text === item.fact) ?? parseFacts(`- ${item.fact}`)[0];
    return fact ? [{ kind: "add", fact, after: precedingFact(proposedFacts, fact) }] : [];
  });
  return editFacts(current, edits, proposed);
}

/** What items take out of MEMORY.md, with why. */
export function retiredBy(items: readonly PlanItem[]): RetiredFact[] {
  return items.flatMap((item): RetiredFact[] => {
    if (item.kind === "add") return [];
    if (item.kind === "retire") return [{ text: item.fact, reason: item.reason, replacedBy: null }];
    return [{ text: item.before, reason: "reworded", replacedBy: item.fact }];
  });
}
