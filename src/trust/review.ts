import { createHash } from "node:crypto";
import { commit } from "../change/commit.ts";
import { withEdits } from "../change/fill-history.ts";
import { inWords, planReview } from "../change/plan-review.ts";
import type { Accepted } from "../change/plan-review.ts";
import { asFileEdit, writeSteeringFile } from "../change/steering-files.ts";
import { MemoryError } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit, HeldChange, Source } from "../state/edit.ts";
import type { Run, State } from "../state/state.ts";
import { formatTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { readSteps } from "./read-steps.ts";

/** One thing that waits for a person, as it is shown. */
export interface WaitingItem {
  /** Stays the same while others are decided. */
  id: string;
  /** Counted from 1 among those that still wait. */
  number: number;
  kind: "add" | "reword" | "retire" | "move";
  /** The new words; those that would go, or go elsewhere, for a removal or a move. */
  fact: string;
  /** The words that would be replaced. */
  before?: string;
  reason: string;
  heading: string;
  /** The heading that it would be put under. */
  to?: string;
  source: Source | undefined;
  /** The file that would be written as a whole, where it is no fact that waits. */
  file?: string;
}

/** A change that waits, with its items numbered from 1. */
export interface WaitingChange {
  run: string;
  session: string;
  scope: string;
  from: number;
  to: number;
  reason: string;
  entry: string;
  items: WaitingItem[];
}

/** What a person decides: on one item or on all, as it is or in other words. */
export interface Verdict {
  run: string;
  verdict: "accept" | "reject";
  /** All that wait when neither these nor ids are given. */
  items?: readonly number[] | undefined;
  /** The ids of items, which mean the same ones whatever is decided before. */
  ids?: readonly string[] | undefined;
  /** The fact as it should be said; for one item. */
  words?: string | undefined;
  by: string;
}

/** What came of it. */
export interface Verdicts {
  run: string;
  accepted: string[];
  rejected: string[];
  /** What was accepted and cannot be done as the file is; it still waits. */
  refused?: { fact: string; reason: string }[];
  /** Items that still wait. */
  left: number;
  /** What takes the decision back (`reconsider`); null where there is nothing to take back. */
  decision: string | null;
}

/** Everything that waits for a person, oldest first. */
export async function listWaiting(workspace: Workspace): Promise<WaitingChange[]> {
  const held = await workspace.state.listHeld();
  return held.map(({ run, session, scope, from, to, reason, entry, items }) => {
    const ids = idsOf(items);
    const described = items.map((item, index) => describeItem(item, index + 1, ids[index] ?? ""));
    return { run, session, scope, from, to, reason, entry, items: described };
  });
}

function idsOf(items: HeldChange["items"]): string[] {
  // The very same twice are counted, from the end: whichever is decided, the other one waits.
  const times = new Map<string, number>();
  const ids = items.toReversed().map(({ edit }) => {
    const id = idOf(edit);
    times.set(id, (times.get(id) ?? 0) + 1);
    return `${id}-${times.get(id)}`;
  });
  return ids.toReversed();
}

/** Tells an edit from all others of its change: also from those of facts in the same words elsewhere. */
function idOf(edit: Edit): string {
  const { kind, file, path, text, place } = edit;
  const to = edit.kind === "move" ? edit.to.path : [];
  const name = JSON.stringify([kind, file, path, text, place, wordsAfter(edit) ?? "", to]);
  return createHash("sha256").update(name).digest("hex").slice(0, 12);
}

function describeItem({ reason, edit }: HeldChange["items"][number], number: number, id: string): WaitingItem {
  const heading = edit.path.at(-1) ?? "";
  const source = ("source" in edit ? edit.source : undefined) ?? undefined;
  const item = { id, number, reason, heading, source, fact: wordsAfter(edit) ?? edit.text };
  if (asFileEdit(edit) !== undefined) {
    const whole = { ...item, file: edit.file };
    return edit.text === "" ? { ...whole, kind: "add" } : { ...whole, kind: "reword", before: edit.text };
  }
  if (edit.kind === "add") return { ...item, kind: "add" };
  if (edit.kind === "replace") return { ...item, kind: "reword", before: edit.text };
  if (edit.kind === "move" && edit.to.file === edit.file)
    return { ...item, kind: "move", to: edit.to.path.at(-1) ?? "" };
  return { ...item, kind: "retire", reason: edit.reason };
}

/** Carries out a person's verdict, like any other change; what is not decided goes on waiting. */
export async function decideHeld(workspace: Workspace, verdict: Verdict): Promise<Verdicts> {
  const held = await findHeld(workspace, verdict.run);
  // Numbers are those of now; by the time that it is their turn, others may have been decided.
  const numbered = verdict.items === undefined ? [] : idsOf(held.items);
  const ids = verdict.ids ?? verdict.items?.map((number) => numbered[number - 1] ?? noItem(held.run, number));
  const meant = { ...verdict, run: held.run, ids };
  return verdict.verdict === "accept" ? accept(workspace, held.scope, meant) : reject(workspace, held, meant);
}

function noItem(run: string, number: number): never {
  throw new MemoryError("NOT_FOUND", `${run} has no item ${number}`);
}

type Waiting = HeldChange & { run: string };

/** The items that a verdict is about, and what they come to in its words. */
interface Chosen {
  held: Waiting;
  items: HeldChange["items"];
  edits: Edit[];
}

function chooseItems(workspace: Workspace, held: Waiting, { ids: wanted, words }: Verdict): Chosen {
  const ids = idsOf(held.items);
  const [known, meant] = [new Set(ids), new Set(wanted)];
  const unknown = wanted?.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new MemoryError("NOT_FOUND", `No such item waits in ${held.run}; it was decided, or forgotten, meanwhile`);
  const items = held.items.filter((_, index) => wanted === undefined || meant.has(ids[index] ?? ""));
  const edits = items.map(({ edit }) => edit);
  if (words === undefined) return { held, items, edits };
  if (edits.length !== 1 || edits.some((edit) => wordsAfter(edit) === undefined || asFileEdit(edit) !== undefined))
    throw new MemoryError("NOT_FOUND", "Only one fact at a time can be reworded");
  return { held, items, edits: edits.map((edit) => inWords(edit, workspace.clean(words))) };
}

async function reject(workspace: Workspace, held: Waiting, verdict: Verdict): Promise<Verdicts> {
  const { run } = held;
  const { items, edits } = chooseItems(workspace, held, verdict);
  const record = describeDecision(workspace, run, held, verdict.by, `${items.length} of its changes rejected`);
  const left = await workspace.state.settleHeld(run, items, { run: record.id, verdict: "reject" }, record);
  if (left === undefined) throw new MemoryError("NOT_FOUND", `${run} has been decided meanwhile`);
  return { run, accepted: [], rejected: edits.map(factOf), left, decision: record.id };
}

/** Carries out what was accepted, as it says while nobody else changes this memory: it may be forgotten before. */
async function accept(workspace: Workspace, scope: string, verdict: Verdict): Promise<Verdicts> {
  const { run, by } = verdict;
  const choose = async () => chooseItems(workspace, await findHeld(workspace, run), verdict);
  const chooseFiles = async () => (await choose()).edits.flatMap((edit) => asFileEdit(edit) ?? []);
  for (const { file, text } of await chooseFiles()) {
    const read = async (): Promise<string> => {
      const edit = (await chooseFiles()).find((each) => each.file === file && each.text === text);
      if (edit === undefined) throw new MemoryError("NOT_FOUND", `What waited for ${file} is gone`);
      return edit.words;
    };
    await writeSteeringFile(workspace, scope, { file, read, expected: text, cause: `review of ${run}` });
  }
  const { done, result, refused } = await commit(workspace, scope, async (memory) => {
    const chosen = await choose();
    const edits = chosen.edits.filter((edit) => asFileEdit(edit) === undefined);
    const past = await pastOf(workspace.state, chosen.held, edits);
    const { change, result: due } = planReview(memory, { run, by, edits, past });
    return { change, result: { ...chosen, due } };
  });
  const reasons = new Map(refused.map(({ edit, reason }) => [idOf(edit), reason]));
  const whyNot = (edit: Edit) => reasons.get(idOf(result.due.get(edit) ?? edit));
  const { held, edits } = result;
  const accepted = edits.filter((edit) => whyNot(edit) === undefined);
  const stays = edits.flatMap((edit) => {
    const reason = whyNot(edit);
    return reason === undefined ? [] : [{ fact: factOf(edit), reason }];
  });

  const decision = done?.run.id ?? null;
  const decided = decision === null ? undefined : { run: decision, verdict: "accept" as const };
  const settled = result.items.filter((_, index) => edits[index] && whyNot(edits[index]) === undefined);
  const settle = async () => (await workspace.state.settleHeld(run, settled, decided)) ?? 0;
  const left = settled.length > 0 ? await settle() : held.items.length;
  const told = { run, accepted: accepted.map(factOf), rejected: [], left, decision };
  return stays.length > 0 ? { ...told, refused: stays } : told;
}

function factOf(edit: Edit): string {
  return wordsAfter(edit) ?? edit.text;
}

/** What came back to the review. */
export type Reconsidered = { kind: "returned"; run: string; items: string[] } | { kind: "nothing"; reason: string };

/**
 * Takes back a rejection: what was rejected waits again. It is named by its own run, or by the run of the proposal (the
 * newest of its rejections); the newest of all without a name.
 */
export async function reconsider(workspace: Workspace, wish: { run?: string; by: string }): Promise<Reconsidered> {
  const { run = "", by } = wish;
  const decided = await workspace.state.listDecided();
  const named = decided.filter((each) => each.run.startsWith(run) || each.proposal.startsWith(run));
  const found = named.find((each) => each.verdict === "reject");
  if (found === undefined) {
    const reason = named.length > 0 ? "it was accepted: undo that change" : "no such rejection is on record";
    return { kind: "nothing", reason: run === "" ? "nothing has been rejected yet" : reason };
  }
  const { proposal, held } = found;
  const record = describeDecision(workspace, proposal, held, by, `${held.items.length} of its changes wait again`);
  await workspace.state.returnDecided(found.run, record);
  return { kind: "returned", run: proposal, items: held.items.map(({ edit }) => factOf(edit)) };
}

/** The text that a proposal was made on, and what happened since to facts in the words that it names. */
async function pastOf(state: State, held: HeldChange, edits: readonly Edit[]): Promise<Accepted["past"]> {
  const { scope, revision } = held;
  const base = revision === undefined ? undefined : await state.readRevision(revision);
  if (base === undefined) return undefined;
  const later = await state.listRevisions(scope, MEMORY_FILE, undefined, { after: revision ?? 0 });
  const told = await Promise.all(later.map((each) => withEdits(state, each)));
  const words = edits.map(({ text }) => text);
  return { text: base.text, steps: await readSteps(state, told, words) };
}

async function findHeld(workspace: Workspace, idStart: string): Promise<Waiting> {
  const all = await workspace.state.listHeld();
  const exact = all.filter(({ run }) => run === idStart);
  const found = exact.length > 0 ? exact : all.filter(({ run }) => run.startsWith(idStart) && idStart !== "");
  const [only] = found;
  if (only && found.length === 1) return only;
  const hint =
    found.length === 0
      ? "nothing by that name is waiting; `tidemark review` lists what is"
      : "more than one starts like that";
  throw new MemoryError("NOT_FOUND", `Which proposal is ${idStart}? ${hint}`);
}

function describeDecision(
  workspace: Workspace,
  run: string,
  { scope, session, from, to }: HeldChange,
  by: string,
  reason: string,
): Run {
  const at = formatTimestamp(workspace.now(), workspace.timezone);
  return {
    id: workspace.newId(),
    scope,
    session,
    from,
    to,
    cause: `review of ${run}`,
    model: by,
    outcome: "refused",
    reason,
    startedAt: at,
    finishedAt: at,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    counts: { kept: 0, added: 0, reworded: 0, retired: 0 },
  };
}
