import type { SessionLog } from "../session/log.ts";
import { traceFact } from "./evidence.ts";
import { judgeOrigin } from "./judge.ts";
import type { Held, PlanItem } from "./plan-items.ts";
import type { World } from "./world.ts";

// A page that was read this long ago no longer speaks.
const RECENT_MESSAGES = 100;

/** Changes that an agent wants, and which of them must wait for a person. */
export interface Screened {
  waiting: PlanItem[];
  /** Why, in words. */
  reason: string;
  /** What is put by for the review; undefined when nothing waits. */
  held: Held | undefined;
}

/** Screens what an agent wants to do to MEMORY.md: what stands on outside sources is put by, not done. */
export function screenItems(
  world: World,
  log: SessionLog,
  items: readonly PlanItem[],
  texts: { current: string; proposed: string },
): Screened {
  const messages = log.messages(Math.max(0, log.length - RECENT_MESSAGES));
  const plan = {
    text: texts.proposed,
    added: items.flatMap((item) => (item.kind === "add" ? [item.fact] : [])),
    reworded: items.flatMap((item) => (item.kind === "reword" ? [{ before: item.before, after: item.fact }] : [])),
    retired: items.flatMap((item) => (item.kind === "retire" ? [{ fact: item.fact, reason: item.reason }] : [])),
    rescued: [],
    kept: 0,
  };
  const { waiting, tools } = judgeOrigin(plan, { ...texts, entry: "" }, messages, world.config.trust.untrustedTools);
  const reason = `it stands on what ${tools.join(", ")} brought from outside, not on the user's word`;
  if (waiting.length === 0) return { waiting, reason, held: undefined };
  const facts = waiting.flatMap((item) =>
    item.kind === "retire" ? [] : [{ ...traceFact(item.fact, [], messages, log.key), origin: "untrusted" as const }],
  );
  const answer = { history_entry: "", memory_update: texts.proposed, evidence: [], removed: [] };
  const stretch = { session: log.key, from: log.cursor, to: log.length };
  return { waiting, reason, held: { base: texts.current, answer, ...stretch, reason, items: waiting, facts } };
}
