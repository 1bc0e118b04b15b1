import { z } from "zod";
import { changeMemory } from "../consolidation/change-memory.ts";
import { editFacts } from "../consolidation/edit-facts.ts";
import type { Edit } from "../consolidation/edit-facts.ts";
import { applyItems, Held, PlanItem, retiredBy } from "../consolidation/plan-items.ts";
import type { World } from "../consolidation/world.ts";
import { MemoryError } from "../errors.ts";
import type { SourcedFact } from "../state/state.ts";
import { formatTimestamp } from "../time.ts";
import { diffFacts } from "./change.ts";

/** A proposal that waits, with its items numbered from 1. */
export interface WaitingProposal {
  run: string;
  session: string;
  scope: string;
  from: number;
  to: number;
  reason: string;
  entry: string;
  items: (PlanItem & { number: number; source: SourcedFact | undefined })[];
}

/** What a person decides: on one item or on all, as it is or in other words. */
export interface Verdict {
  run: string;
  verdict: "accept" | "reject";
  /** All that wait when not given. */
  items?: readonly number[] | undefined;
  /** The fact as it should be said; for one item. */
  words?: string | undefined;
  by: string;
}

/** What came of it. */
export interface Verdicts {
  run: string;
  accepted: string[];
  rejected: string[];
  /** Items that still wait. */
  left: number;
}

/** Everything that waits for a person, oldest first. */
export async function listWaiting(world: World): Promise<WaitingProposal[]> {
  const held = await world.state.heldProposals();
  return held.map(({ run, payload }) => {
    const { session, from, to, reason, items, facts, answer } = Held.parse(payload);
    return {
      run,
      session,
      scope: world.filesOf(session).scope,
      from,
      to,
      reason,
      entry: answer.history_entry,
      items: items.map((item, index) => ({
        ...item,
        number: index + 1,
        source: facts.find(({ text }) => text === item.fact),
      })),
    };
  });
}

/** Carries out a person's verdict through the journal, like any other change; what is not decided goes on waiting. */
export async function decideHeld(world: World, verdict: Verdict): Promise<Verdicts> {
  const { run, held } = await findHeld(world, verdict.run);
  const isChosen = (_: PlanItem, index: number) => verdict.items === undefined || verdict.items.includes(index + 1);
  const unknown = verdict.items?.find((number) => held.items[number - 1] === undefined);
  if (unknown !== undefined) throw new MemoryError("NOT_FOUND", `${run} has no item ${unknown}`);
  const chosen = held.items.filter(isChosen);
  const rest = held.items.filter((item, index) => !isChosen(item, index));
  if (verdict.words !== undefined && (chosen.length !== 1 || chosen[0]?.kind === "retire")) {
    throw new MemoryError("NOT_FOUND", "Other words can be given for one fact at a time");
  }
  const words = verdict.words === undefined ? undefined : world.clean(verdict.words);
  const items = words === undefined ? chosen : chosen.map((item) => ({ ...item, fact: words }));
  const accepted = verdict.verdict === "accept" ? await accept(world, run, held, items, chosen, verdict.by) : [];
  if (verdict.verdict === "reject") await recordRejection(world, run, held, chosen.length, verdict.by);
  await world.state.settleHeld(run, rest.length === 0 ? null : { ...held, items: rest });
  return {
    run,
    accepted,
    rejected: verdict.verdict === "reject" ? chosen.map(({ fact }) => fact) : [],
    left: rest.length,
  };
}

const RunId = z.object({ run: z.string(), payload: z.unknown() });

async function findHeld(world: World, idStart: string): Promise<{ run: string; held: Held }> {
  const all = await world.state.heldProposals();
  const found = all.filter(({ run }) => run.startsWith(idStart) && idStart !== "");
  if (found.length === 1) {
    const { run, payload } = RunId.parse(found[0]);
    return { run, held: Held.parse(payload) };
  }
  const hint =
    found.length === 0 ? "nothing of that name waits; `tidemark review` lists what does" : "more than one begins so";
  throw new MemoryError("NOT_FOUND", `Which proposal is ${idStart}? ${hint}`);
}

async function accept(
  world: World,
  run: string,
  held: Held,
  items: readonly PlanItem[],
  originals: readonly PlanItem[],
  by: string,
): Promise<string[]> {
  const { scope } = world.filesOf(held.session);
  return changeMemory<string[]>(world, { scope }, async (current) => {
    const text = applyItems(current, inWords(held.answer.memory_update, originals, items), items);
    const facts = items.flatMap((item, index): SourcedFact[] => {
      if (item.kind === "retire") return [];
      const source = held.facts.find((fact) => fact.text === originals[index]?.fact);
      const unknown: SourcedFact = {
        text: item.fact,
        session: held.session,
        message: null,
        quote: null,
        proof: "none",
      };
      return [{ ...(source ?? unknown), text: item.fact }];
    });
    if (text === current) return { result: [] };
    const { removed } = diffFacts(current, text);
    const retired = retiredBy(items).filter((fact) => removed.includes(fact.text));
    return {
      change: { text, facts, retired, cause: `review of ${run}`, author: "run", by },
      result: items.map(({ fact }) => fact),
    };
  });
}

/** The proposal in a person's words, so that they stand where the model's would have. */
function inWords(proposed: string, originals: readonly PlanItem[], items: readonly PlanItem[]): string {
  const edits = originals.flatMap(({ fact }, index): Edit[] => {
    const by = items[index]?.fact ?? fact;
    return by === fact ? [] : [{ kind: "replace", text: fact, by }];
  });
  return editFacts(proposed, edits, proposed);
}

async function recordRejection(world: World, run: string, held: Held, count: number, by: string): Promise<void> {
  const at = formatTimestamp(world.now(), world.timezone);
  await world.state.recordRun({
    id: world.newId(),
    scope: world.filesOf(held.session).scope,
    session: held.session,
    from: held.from,
    to: held.to,
    cause: `review of ${run}`,
    model: by,
    outcome: "refused",
    reason: `${count} of its changes rejected`,
    startedAt: at,
    finishedAt: at,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    counts: { kept: 0, added: 0, reworded: 0, retired: 0 },
  });
}
