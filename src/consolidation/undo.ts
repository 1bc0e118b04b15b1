import { MEMORY_FILE } from "../files/memory-files.ts";
import { parseFacts } from "../files/facts.ts";
import type { SessionLog } from "../session/log.ts";
import type { Revision, SourcedFact } from "../state/state.ts";
import { changeMemory } from "./change-memory.ts";
import { planMemory } from "./plan.ts";
import type { World } from "./world.ts";

/** What an undo did to MEMORY.md. */
export type UndoOutcome =
  | { kind: "undone"; revision: number; cause: string; at: string; removed: string[]; restored: string[] }
  | { kind: "nothing" }
  | { kind: "conflict"; revision: number; facts: string[] };

const UNDO_CAUSE = /^undo of revision (\d+)$/;

/**
 * Takes back the newest change of MEMORY.md that was not a person's own, as a new revision. What a person wrote since
 * stays; where they changed the very facts that would go, nothing is touched and the facts are named.
 */
export function undoChange(world: World, log: SessionLog, by: string): Promise<UndoOutcome> {
  return changeMemory<UndoOutcome>(world, log, async (current, files) => {
    const revisions = await world.state.listRevisions(files.scope, MEMORY_FILE);
    const index = newestChange(revisions);
    const target = revisions[index];
    if (target === undefined) return { result: { kind: "nothing" } };
    const before = revisions[index - 1]?.text ?? "";
    const removed = missingFacts(target.text, before);
    const restored = missingFacts(before, target.text);
    const changed = removed.filter((fact) => !hasFact(current, fact));
    if (changed.length > 0) return { result: { kind: "conflict", revision: target.id, facts: changed } };
    const facts = await Promise.all(restored.map((fact) => sourceOf(world, files.scope, fact)));
    return {
      change: {
        text: current === target.text ? before : takeBack(target.text, before, current, removed),
        facts,
        retired: removed.map((text) => ({ text, reason: "undone", replacedBy: null })),
        cause: `undo of revision ${target.id}`,
        author: "undo",
        by,
      },
      result: { kind: "undone", revision: target.id, cause: target.cause, at: target.at, removed, restored },
    };
  });
}

/** The newest change that stands: neither an undo, nor undone, nor a person's. */
function newestChange(revisions: readonly Revision[]): number {
  const undone = new Set(revisions.map(({ author, cause }) => (author === "undo" ? UNDO_CAUSE.exec(cause)?.[1] : "")));
  return revisions.findLastIndex(
    ({ id, author }) => author !== "undo" && author !== "person" && !undone.has(String(id)),
  );
}

function takeBack(after: string, before: string, current: string, removed: readonly string[]): string {
  const reasons = removed.map((fact) => ({ fact, reason: "undone" }));
  return planMemory(after, before, current, reasons).text;
}

function missingFacts(text: string, elsewhere: string): string[] {
  return parseFacts(text)
    .map((fact) => fact.text)
    .filter((fact) => !hasFact(elsewhere, fact));
}

function hasFact(markdown: string, fact: string): boolean {
  return parseFacts(markdown).some(({ text }) => text === fact);
}

/** A fact that comes back has the source that it had. */
async function sourceOf(world: World, scope: string, text: string): Promise<SourcedFact> {
  const known = (await world.state.listFacts({ scope, text })).findLast(({ proof }) => proof !== "none");
  if (known === undefined) return { text, session: null, message: null, quote: null, proof: "none" };
  const { session, message, quote, proof } = known;
  return { text, session, message, quote, proof };
}
