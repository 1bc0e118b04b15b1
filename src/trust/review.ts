import { commit, recordChange } from "../change/commit.ts";
import { inWords, planReview } from "../change/plan-review.ts";
import type { Accepted } from "../change/plan-review.ts";
import { asFileEdit, writeSteeringFile } from "../change/steering-files.ts";
import { MemoryError } from "../errors.ts";
import type { Decision, HeldItem } from "../history/change.ts";
import { keyOfEdit, wordsAfter } from "../history/edit.ts";
import type { Edit, Source } from "../history/edit.ts";
import type { History, WaitingHeld } from "../history/history.ts";
import { MEMORY_FILE } from "../layout.ts";
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
  /** The change that proposed it. */
  change: string;
  session: string;
  scope: string;
  from: number;
  to: number;
  reason: string;
  entry: string;
  at: string;
  by: string;
  items: WaitingItem[];
}

/** What a person decides: on one item or on all, as it is or in other words. */
export interface Verdict {
  change: string;
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
  /** The change that proposed what was decided. */
  change: string;
  accepted: string[];
  rejected: string[];
  /** What was accepted and cannot be done as the file is; it still waits. */
  refused?: { fact: string; reason: string }[];
  /** Items that still wait. */
  left: number;
  /** The change that decided it; `undo` of an acceptance and `reconsider` of a rejection take it back. */
  decision: string | null;
}

/** Everything that waits for a person, oldest first. */
export async function listWaiting({ history }: Workspace): Promise<WaitingChange[]> {
  const waiting = await history.listWaiting();
  return waiting.map(({ change: { id, session, scope, from, to, at, by }, reason, entry, items }) => {
    const described = items.map((item, index) => describeItem(item, index + 1));
    return { change: id, session, scope, from, to, at, by, reason, entry, items: described };
  });
}

function describeItem({ id, reason, edit }: HeldItem, number: number): WaitingItem {
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
  const held = await findHeld(workspace.history, verdict.change);
  const { id, scope } = held.change;
  // Numbers are those of now; by the time that it is their turn, others may have been decided.
  const ids = verdict.ids ?? verdict.items?.map((number) => held.items[number - 1]?.id ?? noItem(id, number));
  const meant = { ...verdict, change: id, ids };
  return verdict.verdict === "accept" ? accept(workspace, scope, meant) : reject(workspace, scope, meant);
}

function noItem(change: string, number: number): never {
  throw new MemoryError("NOT_FOUND", `${change} has no item ${number}`);
}

/** The items that a verdict is about, and what they come to in its words. */
interface Chosen {
  held: WaitingHeld;
  /** By the ids of the items. */
  edits: ReadonlyMap<string, Edit>;
}

async function chooseItems(workspace: Workspace, { change, ids: wanted, words }: Verdict): Promise<Chosen> {
  const held = await findHeld(workspace.history, change);
  const known = new Set(held.items.map(({ id }) => id));
  if (wanted?.some((id) => !known.has(id)))
    throw new MemoryError("NOT_FOUND", `No such item waits in ${change}; it was decided, or forgotten, meanwhile`);
  const items = held.items.filter(({ id }) => wanted === undefined || wanted.includes(id));
  const said = (edit: Edit) => (words === undefined ? edit : inWords(edit, workspace.clean(words)));
  if (words !== undefined && !(items.length === 1 && items.every(isFact)))
    throw new MemoryError("NOT_FOUND", "Only one fact at a time can be reworded");
  return { held, edits: new Map(items.map(({ id, edit }) => [id, said(edit)])) };
}

function isFact({ edit }: HeldItem): boolean {
  return wordsAfter(edit) !== undefined && asFileEdit(edit) === undefined;
}

async function reject(workspace: Workspace, scope: string, verdict: Verdict): Promise<Verdicts> {
  const { change, by } = verdict;
  const { result } = await commit(workspace, scope, async () => {
    const { held, edits } = await chooseItems(workspace, verdict);
    const decision: Decision = { proposal: change, verdict: "reject", items: [...edits.keys()] };
    const { session, from } = held.change;
    return {
      change: {
        cause: "review",
        of: change,
        author: by === "user" ? "person" : "agent",
        by,
        decision,
        edits: [],
        entries: [],
        held: [],
        ...(session === "" ? {} : { stretch: { session, identity: "", from, to: from } }),
        record: { id: workspace.newId(), outcome: "refused", reason: `${edits.size} of its changes rejected` },
      },
      result: { left: held.items.length - edits.size, edits: [...edits.values()] },
    };
  });
  const decided = await workspace.history.listDecided();
  const decision = decided.find(({ proposal, verdict: was }) => proposal === change && was === "reject")?.id ?? null;
  return { change, accepted: [], rejected: result.edits.map(factOf), left: result.left, decision };
}

/** Carries out what was accepted, as it says while nobody else changes this memory: it may be forgotten before. */
async function accept(workspace: Workspace, scope: string, verdict: Verdict): Promise<Verdicts> {
  const { change, by } = verdict;
  const files = await acceptFiles(workspace, scope, verdict);
  const { done, result, refused } = await commit(workspace, scope, async (memory) => {
    const chosen = await chooseItems(workspace, verdict).catch((error: unknown) => {
      // All that was to be decided were files, and they are.
      if (files.length > 0 && error instanceof MemoryError) return undefined;
      throw error;
    });
    if (chosen === undefined) return { result: undefined };
    const items = new Map([...chosen.edits].filter(([, edit]) => asFileEdit(edit) === undefined));
    if (items.size === 0) return { result: undefined };
    const edits = [...items.values()];
    const past = await pastOf(workspace.history, chosen.held, edits);
    const { change: draft, result: due } = planReview(memory, { proposal: change, items, by, past });
    return { change: draft, result: { edits, due } };
  });
  if (result === undefined)
    return { change, accepted: files, rejected: [], left: await countLeft(workspace, change), decision: null };
  const reasons = new Map(refused.map(({ edit, reason }) => [keyOfEdit(edit), reason]));
  const stays = result.edits.flatMap((edit) => {
    const due = result.due.get(edit);
    const reason = due && reasons.get(keyOfEdit(due));
    return reason === undefined ? [] : [{ fact: factOf(edit), reason }];
  });
  const isStaying = new Set(stays.map(({ fact }) => fact));
  const accepted = result.edits.map(factOf).filter((fact) => !isStaying.has(fact));
  const told = {
    change,
    accepted: [...files, ...accepted],
    rejected: [],
    left: await countLeft(workspace, change),
    decision: done?.change.id ?? null,
  };
  return stays.length > 0 ? { ...told, refused: stays } : told;
}

async function countLeft({ history }: Workspace, change: string): Promise<number> {
  return (await history.listWaiting()).find((each) => each.change.id === change)?.items.length ?? 0;
}

/** Writes the files that steer the agent, each with its decision; what their new words are. */
async function acceptFiles(workspace: Workspace, scope: string, verdict: Verdict): Promise<string[]> {
  const choose = async () =>
    [...(await chooseItems(workspace, verdict)).edits].flatMap(([id, edit]) => {
      const file = asFileEdit(edit);
      return file ? [{ id, edit: file }] : [];
    });
  const accepted: string[] = [];
  for (const { id, edit } of await choose()) {
    const read = async (): Promise<string> => {
      const now = (await choose()).find((each) => each.id === id);
      if (now === undefined) throw new MemoryError("NOT_FOUND", `What waited for ${edit.file} is gone`);
      return now.edit.words;
    };
    const decision: Decision = { proposal: verdict.change, verdict: "accept", items: [id] };
    const why = { cause: "review", of: verdict.change, decision } as const;
    await writeSteeringFile(workspace, scope, { file: edit.file, read, expected: edit.text, ...why });
    accepted.push(edit.words);
  }
  return accepted;
}

function factOf(edit: Edit): string {
  return wordsAfter(edit) ?? edit.text;
}

/** What came back to the review. */
export type Reconsidered = { kind: "returned"; change: string; items: string[] } | { kind: "nothing"; reason: string };

/**
 * Takes back a rejection: what was rejected waits again. It is named by its own change, or by the one that proposed it
 * (the newest of its rejections); the newest of all without a name.
 */
export async function reconsider(workspace: Workspace, wish: { change?: string; by: string }): Promise<Reconsidered> {
  const { change = "", by } = wish;
  const decided = await workspace.history.listDecided();
  const named = decided.filter((each) => each.id.startsWith(change) || each.proposal.startsWith(change));
  const found = named.find((each) => each.verdict === "reject");
  if (found === undefined) {
    const reason = named.length > 0 ? "it was accepted: undo that change" : "no such rejection is on record";
    return { kind: "nothing", reason: change === "" ? "nothing has been rejected yet" : reason };
  }
  const { proposal, items } = found;
  const [proposed] = await workspace.history.find(proposal);
  const decision: Decision = { proposal, verdict: "return", items: items.map(({ id }) => id) };
  await recordChange(workspace, {
    scope: proposed?.scope ?? "",
    author: by === "user" ? "person" : "agent",
    by,
    cause: "review",
    of: found.id,
    decision,
    outcome: "refused",
    reason: `${items.length} of its changes wait again`,
  });
  return { kind: "returned", change: proposal, items: items.map(({ edit }) => factOf(edit)) };
}

/** The text that a proposal was made on, and what happened since to facts in the words that it names. */
async function pastOf(
  history: History,
  { base, change }: WaitingHeld,
  edits: readonly Edit[],
): Promise<Accepted["past"]> {
  const [head] = base === null ? [] : await history.find(base);
  const texts = head && (await history.textsOf(head.id));
  if (head === undefined || texts === undefined) return undefined;
  const later = await history.list({ scope: change.scope, file: MEMORY_FILE, after: head.sequence });
  const words = edits.map(({ text }) => text);
  return { text: texts.text, steps: await readSteps(history, await history.at(later.map(({ id }) => id)), words) };
}

async function findHeld(history: History, idStart: string): Promise<WaitingHeld> {
  const all = await history.listWaiting();
  const exact = all.filter(({ change }) => change.id === idStart);
  const found = exact.length > 0 ? exact : all.filter(({ change }) => change.id.startsWith(idStart) && idStart !== "");
  const [only] = found;
  if (only && found.length === 1) return only;
  const hint =
    found.length === 0
      ? "nothing by that name is waiting; `tidemark review` lists what is"
      : "more than one starts like that";
  throw new MemoryError("NOT_FOUND", `Which proposal is ${idStart}? ${hint}`);
}
