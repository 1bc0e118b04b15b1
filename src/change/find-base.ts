import type { MemoryFiles, Replaced } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { RevisionHead } from "../state/state.ts";
import { parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { align } from "../lines.ts";
import { parseFacts } from "./read-outline.ts";
import { splitLines } from "./split-lines.ts";

/** The cause of what we merged of a person's edit. It is written by us: whoever saves next may not have seen it. */
export const MERGED = "edited outside Tidemark, merged";

// An editor that was opened before a change of ours, and saved after it, does not know that change. Someone who opened
// the file longer ago than this has most likely looked at it again.
const STALE_MS = 10 * 60_000;
// As many as fall into that time when a fact comes every third of a second.
const STALE_REVISIONS = 2000;
// Facts tell nearly which text it was; of the nearest few the lines decide.
const LOOKED_AT = 12;

/**
 * The text that a saved one was made from: one of these, which it was saved over, or one that we replaced of late. It had
 * every fact of ours that the saved one has, since nobody else could write them; of several the one that least was taken
 * out of, then the one that least was added to. A text that is an older one, but for empty lines, was brought back on
 * purpose.
 */
export async function findBase(
  workspace: Workspace,
  files: MemoryFiles,
  text: string,
  savedOver: readonly [string, ...string[]],
): Promise<string> {
  if (savedOver.includes(text) || text.trim() === "") return savedOver[0];
  // What we replaced of late, by the clock of the disk: clocks of several processes need not agree.
  const replaced = files.replaced(MEMORY_FILE);
  const heads = (await workspace.state.listHeads(files.scope, MEMORY_FILE, STALE_REVISIONS)).toReversed();
  const passing = await readUnrecorded(workspace, heads, replaced, savedOver);
  if (passing.includes(text)) return text;
  const { near, seen } = await compareWithHistory(workspace, heads, text);
  const older: string[] = [];
  for (const { id, isSure } of near) {
    const { before = "" } = (await workspace.state.readRevision(id)) ?? {};
    if (before !== "" && (isSure || replaced.has(before))) older.push(before);
  }
  const lines = filledLines(text);
  if (older.some((other) => isSameList(filledLines(other), lines))) return savedOver[0];
  // Who only took out lines of the present text, and left one in that no older text has, had the present one before them.
  if (isPartOf(lines, filledLines(savedOver[0])) && !older.some((other) => isPartOf(lines, filledLines(other))))
    return savedOver[0];
  const possible = [...savedOver, ...passing, ...older].filter((other) => isAmong(seen, other));
  // Where others have the same words, it had as many of them; but someone may have copied one.
  const isOurs = new Set(seen);
  const ours = factsOf(text).filter((fact) => isOurs.has(fact));
  const likely = possible.filter((other) => countEqual(ours, factsOf(other)) === ours.length);
  return leastChanged(text, likely.length > 0 ? likely : possible) ?? savedOver[0];
}

function filledLines(text: string): string[] {
  return splitLines(text).lines.filter((line) => line.trim() !== "");
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** Whether all of some lines stand in others, in their order. */
function isPartOf(lines: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const line of lines) {
    at = others.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function isAmong(facts: readonly string[], text: string): boolean {
  const there = new Set(factsOf(text));
  return facts.every((fact) => there.has(fact));
}

function factsOf(text: string): string[] {
  return parseFacts(text).map((fact) => fact.text);
}

/**
 * The first of those that least was taken out of, and then least added to. A line that moved was not added: where we just
 * took out one of two equals, who moves the other to its place has most likely the present text before them.
 */
function leastChanged(text: string, others: readonly string[]): string | undefined {
  const lines = filledLines(text);
  const changes = others.map((other) => {
    const from = filledLines(other);
    const kept = align(from, lines).reduce((sum, place) => sum + (place < 0 ? 0 : 1), 0);
    return { other, takenOut: from.length - kept, added: lines.length - countEqual(from, lines) };
  });
  return changes.toSorted((one, two) => one.takenOut - two.takenOut || one.added - two.added)[0]?.other;
}

/** How many of the one are in the other, in whatever order, each as often as it is there. */
function countEqual(lines: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const times = left.get(line) ?? 0;
    left.set(line, times - 1);
    return times > 0;
  }).length;
}

/**
 * What stood in the file for a moment only: saves from an older text, until they were merged. Where older records lie
 * beside newer files they do not have what stands for such a text, and it is no base.
 */
async function readUnrecorded(
  { state }: Workspace,
  heads: readonly RevisionHead[],
  { unrecorded }: Replaced,
  savedOver: readonly string[],
): Promise<string[]> {
  if (unrecorded.length === 0) return [];
  const known = [...savedOver];
  for (const { id } of heads.filter(({ author }) => author === "person").slice(0, LOOKED_AT))
    known.push((await state.readRevision(id))?.text ?? "");
  return unrecorded.filter((each) => known.some((text) => each.isRecordedAs(text))).map(({ text }) => text);
}

/** A change, and how many facts the text before it is away from one that was saved. */
interface Near {
  id: number;
  isOurs: boolean;
  /** The text before it was replaced by us, not long ago; of others the disk must tell. */
  isSure: boolean;
  away: number;
}

/**
 * The changes before which the text was most like this one, going by the facts that came and went (from the
 * newest back, each that is not there although it came makes the text before its coming likelier), and the facts of ours
 * that it has.
 */
async function compareWithHistory(
  { state, now, timezone }: Workspace,
  heads: readonly RevisionHead[],
  text: string,
): Promise<{ near: Near[]; seen: string[] }> {
  const isOld = ({ at }: RevisionHead) =>
    Math.abs(now().getTime() - (parseTimestamp(at, timezone)?.getTime() ?? 0)) > STALE_MS;
  const turns = await state.turnsOf(heads.map(({ id }) => id));
  const there = new Set(factsOf(text));
  let away = 0;
  const near: Near[] = [];
  const seen: string[] = [];
  for (const head of heads) {
    const { added, removed } = turns.get(head.id) ?? { added: [], removed: [] };
    for (const fact of added) away += there.has(fact) ? 1 : -1;
    for (const fact of removed) away += there.has(fact) ? -1 : 1;
    // Only what we wrote can have been missed; what a person wrote came from the editor itself, unless a crash made ours
    // look like it.
    const isOurs = head.author !== "person" || head.cause === MERGED;
    near.push({ id: head.id, isOurs, isSure: isOurs && !isOld(head), away });
    if (head.author === "person") continue;
    for (const fact of added) if (there.has(fact)) seen.push(fact);
  }
  const closest = (isOurs: boolean) =>
    near
      .filter((each) => each.isOurs === isOurs)
      .toSorted((one, other) => one.away - other.away)
      .slice(0, LOOKED_AT);
  return { near: [...closest(true), ...closest(false)], seen };
}
