import { parseFacts } from "../files/facts.ts";
import { maskNew } from "../files/mask-secrets.ts";
import type { SessionLog } from "../session/log.ts";
import { changeMemory } from "./change-memory.ts";
import { traceFact } from "./evidence.ts";
import { applyItems, itemsOf } from "./plan-items.ts";
import type { PlanItem } from "./plan-items.ts";
import { planMemory } from "./plan.ts";
import { screenItems } from "./screen.ts";
import type { World } from "./world.ts";

// Where a fact comes from is looked for in what was just said.
const RECENT_MESSAGES = 20;

/** What came of an agent's new text for MEMORY.md. */
export interface Rewritten {
  kind: "written" | "nothing" | "changed-meanwhile";
  /** Changes that wait for a person, because they stand on outside sources. */
  waiting: string[];
}

/**
 * Puts an agent's text in the place of MEMORY.md, as a revision; what stands on outside sources waits in the review.
 * Where the agent says what it read (`base`), a text that was changed since is left alone.
 */
export function rewriteMemory(
  world: World,
  log: SessionLog,
  proposed: string,
  by: string,
  base?: string,
): Promise<Rewritten> {
  return changeMemory<Rewritten>(world, log, async (current) => {
    if (base !== undefined && base !== current) return { result: { kind: "changed-meanwhile", waiting: [] } };
    const text = maskNew(proposed, current);
    const reasons = missingFacts(current, text).map((fact) => ({ fact, reason: "edited" }));
    const items = itemsOf(planMemory(current, text, current, reasons));
    const { waiting, held } = screenItems(world, log, items, { current, proposed: text });
    const isWaiting = (item: PlanItem) => waiting.some(({ kind, fact }) => kind === item.kind && fact === item.fact);
    const done = items.filter((item) => !isWaiting(item));
    // Byte for byte as asked, unless a part of it has to wait.
    const next = waiting.length === 0 ? text : applyItems(current, text, done);
    if (next === current && waiting.length === 0) return { result: { kind: "nothing", waiting: [] } };
    const recent = log.messages(Math.max(0, log.length - RECENT_MESSAGES));
    const facts = missingFacts(next, current).map((fact) => traceFact(fact, [], recent, log.key));
    const retired = missingFacts(current, next).map((fact) => ({
      text: fact,
      reason: "edited",
      replacedBy: done.find((item) => item.kind === "reword" && item.before === fact)?.fact ?? null,
    }));
    return {
      change: { text: next, facts, retired, cause: "edited by the agent", author: "agent", by, held },
      result: { kind: next === current ? "nothing" : "written", waiting: waiting.map(({ fact }) => fact) },
    };
  });
}

function missingFacts(text: string, elsewhere: string): string[] {
  const there = new Set(parseFacts(elsewhere).map((fact) => fact.text));
  return [...new Set(parseFacts(text).map((fact) => fact.text))].filter((fact) => !there.has(fact));
}
