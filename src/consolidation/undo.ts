import { MEMORY_FILE } from "../files/memory-files.ts";
import { parseFacts } from "../files/facts.ts";
import type { SessionLog } from "../session/log.ts";
import type { Revision, SourcedFact } from "../state/state.ts";
import { changeMemory } from "./change-memory.ts";
import type { ChangePlace } from "./change-memory.ts";
import { editFacts } from "./edit-facts.ts";
import type { Edit } from "./edit-facts.ts";
import { planMemory } from "./plan.ts";
import type { World } from "./world.ts";

/** A fact that a change brought and that someone changed since, so that taking it back would be a guess. */
export interface UndoConflict {
  fact: string;
  /** What it says now. */
  became: string | undefined;
  /** The revision that changed it. */
  revision: number;
}

/** What an undo did to MEMORY.md. */
export type UndoOutcome =
  | {
      kind: "undone";
      revision: number;
      cause: string;
      at: string;
      removed: string[];
      restored: string[];
      /** What was left as it is, where only a part was asked for. */
      left: UndoConflict[];
    }
  | { kind: "nothing" }
  | { kind: "conflict"; revision: number; facts: string[]; conflicts: UndoConflict[] };

/** What is to be taken back. */
export interface UndoRequest {
  /** The newest change that stands and was not a person's own, when not given. */
  revision?: number | undefined;
  by: string;
  /** Takes back what it can and leaves the rest. */
  partial?: boolean | undefined;
}

const UNDO_CAUSE = /^undo of revision (\d+)$/;

/** Takes back the newest change of MEMORY.md that was not a person's own, as a new revision. */
export function undoChange(world: World, log: SessionLog, by: string): Promise<UndoOutcome> {
  return undoRevision(world, log, { by });
}

/**
 * Takes back exactly what a revision brought, as a new revision: what it added goes, what it took out or replaced comes
 * back with its source, and everything else stays. Where one of its facts was changed since, nothing is touched and the
 * conflict is told.
 */
export function undoRevision(world: World, place: ChangePlace, request: UndoRequest): Promise<UndoOutcome> {
  return changeMemory<UndoOutcome>(world, place, async (current, files) => {
    const revisions = await world.state.listRevisions(files.scope, MEMORY_FILE);
    const index =
      request.revision === undefined
        ? newestChange(revisions)
        : revisions.findIndex(({ id }) => id === request.revision);
    const target = revisions[index];
    if (target === undefined || undoneBy(revisions).has(target.id)) return { result: { kind: "nothing" } };
    const before = revisions[index - 1]?.text ?? "";
    const pairs = pairsOf(before, target.text);
    const conflicts = await findConflicts(world, files.scope, revisions, index, current, pairs);
    if (conflicts.length > 0 && request.partial !== true) {
      const facts = conflicts.map(({ fact }) => fact);
      return { result: { kind: "conflict", revision: target.id, facts, conflicts } };
    }
    const isLeft = (fact: string) => conflicts.some((conflict) => conflict.fact === fact);
    const removed = missingFacts(target.text, before).filter((fact) => hasFact(current, fact));
    const restored = missingFacts(before, target.text).filter(
      (fact) => !hasFact(current, fact) && !isLeft(pairs.get(fact) ?? ""),
    );
    const text = current === target.text ? before : takeBack(current, before, removed, restored, pairs);
    if (text === current) return { result: { kind: "nothing" } };
    const { id: revision, cause, at } = target;
    return {
      change: {
        text,
        facts: await Promise.all(restored.map((fact) => sourceOf(world, files.scope, fact))),
        retired: removed.map((fact) => ({ text: fact, reason: "undone", replacedBy: null })),
        cause: `undo of revision ${revision}`,
        author: "undo",
        by: request.by,
      },
      result: { kind: "undone", revision, cause, at, removed, restored, left: conflicts },
    };
  });
}

/** The newest change that stands: neither an undo, nor undone, nor a person's. */
function newestChange(revisions: readonly Revision[]): number {
  const undone = undoneBy(revisions);
  return revisions.findLastIndex(({ id, author }) => author !== "undo" && author !== "person" && !undone.has(id));
}

/** The changes that are taken back, by undos that stand themselves. */
function undoneBy(revisions: readonly Revision[]): Set<number> {
  const undone = new Set<number>();
  for (const { id, author, cause } of revisions.toReversed()) {
    if (author === "undo" && !undone.has(id)) undone.add(Number(UNDO_CAUSE.exec(cause)?.[1]));
  }
  return undone;
}

/** Which new fact took the place of which old one. */
function pairsOf(before: string, after: string): Map<string, string> {
  const reasons = missingFacts(before, after).map((fact) => ({ fact, reason: "changed" }));
  return new Map(planMemory(before, after, before, reasons).reworded.map((pair) => [pair.before, pair.after]));
}

async function findConflicts(
  world: World,
  scope: string,
  revisions: readonly Revision[],
  index: number,
  current: string,
  pairs: ReadonlyMap<string, string>,
): Promise<UndoConflict[]> {
  const brought = missingFacts(revisions[index]?.text ?? "", revisions[index - 1]?.text ?? "");
  const replacing = new Set(pairs.values());
  const conflicts: UndoConflict[] = [];
  for (const fact of brought.filter((each) => !hasFact(current, each))) {
    const end = await endOfFact(world, scope, revisions, index, fact);
    // Gone without a successor, and it had replaced nothing: there is nothing left to take back.
    if (end && (end.became !== undefined || replacing.has(fact)) && !end.isUndo) {
      conflicts.push({ fact, became: end.became, revision: end.revision });
    }
  }
  return conflicts;
}

/** How a fact that was there at a revision came to an end after it. */
async function endOfFact(
  world: World,
  scope: string,
  revisions: readonly Revision[],
  index: number,
  fact: string,
): Promise<{ became: string | undefined; revision: number; isUndo: boolean } | undefined> {
  for (let at = revisions.length - 1; at > index; at--) {
    const before = revisions[at - 1];
    const after = revisions[at];
    if (!before || !after || !hasFact(before.text, fact) || hasFact(after.text, fact)) continue;
    const records = await world.state.listFacts({ scope, text: fact });
    const record = records.findLast(({ retiredBy }) => after.run !== null && retiredBy === after.run);
    // A run says itself what replaced what; a person's edit is read as a rewording where it looks like one.
    const became = record ? (record.replacedBy ?? undefined) : pairsOf(before.text, after.text).get(fact);
    return { became, revision: after.id, isUndo: after.author === "undo" };
  }
  return undefined;
}

/** The present text without what was brought and with what was there before; no other line is touched. */
function takeBack(
  current: string,
  before: string,
  removed: readonly string[],
  restored: readonly string[],
  pairs: ReadonlyMap<string, string>,
): string {
  const earlier = parseFacts(before);
  const inPlace = restored.filter((fact) => removed.includes(pairs.get(fact) ?? ""));
  const replaced = new Set(inPlace.map((fact) => pairs.get(fact)));
  const edits: Edit[] = [
    ...inPlace.map((fact): Edit => ({ kind: "replace", text: pairs.get(fact) ?? "", by: fact })),
    ...restored
      .filter((fact) => !inPlace.includes(fact))
      .flatMap((text): Edit[] => {
        const index = earlier.findIndex((each) => each.text === text);
        const fact = earlier[index];
        const sibling = earlier[index - 1];
        const isNear = sibling !== undefined && sibling.path.join("\n") === fact?.path.join("\n");
        return fact ? [{ kind: "add", fact, after: isNear ? sibling.text : undefined }] : [];
      }),
    ...removed.filter((fact) => !replaced.has(fact)).map((text): Edit => ({ kind: "remove", text })),
  ];
  return editFacts(current, edits, before);
}

function missingFacts(text: string, elsewhere: string): string[] {
  const known = new Set(parseFacts(elsewhere).map((fact) => fact.text));
  return [...new Set(parseFacts(text).map((fact) => fact.text))].filter((fact) => !known.has(fact));
}

function hasFact(markdown: string, fact: string): boolean {
  return parseFacts(markdown).some(({ text }) => text === fact);
}

/** A fact that comes back has the source that it had. */
export async function sourceOf(world: World, scope: string, text: string): Promise<SourcedFact> {
  const known = (await world.state.listFacts({ scope, text })).findLast(({ run }) => run !== null);
  if (known === undefined) return { text, session: null, message: null, quote: null, proof: "none" };
  const { session, message, quote, proof, origin } = known;
  return { text, session, message, quote, proof, origin };
}
