import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { RevisionHead } from "../state/state.ts";
import { parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { align } from "./align.ts";
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
 * The older text that a saved one was made from, where that is not the newest: the one that it differs least from. A
 * text that is an older one, to the byte, was brought back on purpose.
 */
export async function findStaleBase(
  workspace: Workspace,
  files: MemoryFiles,
  text: string,
): Promise<string | undefined> {
  const { state } = workspace;
  const latest = await state.latestRevision(files.scope, MEMORY_FILE);
  if (latest === undefined || latest.text === text || text.trim() === "") return undefined;
  // What we replaced of late, by the clock of the disk: clocks of several processes need not agree. A text that no
  // revision knows is no base, as where older records lie beside newer files.
  const replaced = new Set(files.replacedTexts(MEMORY_FILE));
  let best = { text: latest.text, distance: distance(latest.text, text) };
  for (const { id, isOld } of await listNearest(workspace, files, text, replaced.size > 0)) {
    const { before = "" } = (await state.readRevision(id)) ?? {};
    if (before.trim() === "" || (isOld && !replaced.has(before))) continue;
    if (before === text) return undefined;
    const away = distance(before, text);
    if (away < best.distance) best = { text: before, distance: away };
  }
  return best.text === latest.text ? undefined : best.text;
}

/**
 * The changes of ours before which the text was most like this one, going by the facts that came and went: from the
 * newest back, each that is not there although it came makes the text before its coming likelier.
 */
async function listNearest(
  { state, now, timezone }: Workspace,
  { scope }: MemoryFiles,
  text: string,
  mayBeOld: boolean,
): Promise<{ id: number; isOld: boolean }[]> {
  const heads = (await state.listHeads(scope, MEMORY_FILE, STALE_REVISIONS)).toReversed();
  const isOld = ({ at }: RevisionHead) => now().getTime() - (parseTimestamp(at, timezone)?.getTime() ?? 0) > STALE_MS;
  const turns = await state.turnsOf(heads.map(({ id }) => id));
  const there = new Set(parseFacts(text).map((fact) => fact.text));
  let away = 0;
  const near: { id: number; isOld: boolean; away: number }[] = [];
  for (const head of heads) {
    const { added, removed } = turns.get(head.id) ?? { added: [], removed: [] };
    for (const fact of added) away += there.has(fact) ? 1 : -1;
    for (const fact of removed) away += there.has(fact) ? -1 : 1;
    // Only what we wrote can have been missed; what a person wrote came from the editor itself.
    const isOurs = head.author !== "person" || head.cause === MERGED;
    if (isOurs && (mayBeOld || !isOld(head))) near.push({ id: head.id, isOld: isOld(head), away });
  }
  return near.toSorted((one, other) => one.away - other.away).slice(0, LOOKED_AT);
}

/** How many lines one text has that the other has not, both ways. */
function distance(one: string, other: string): number {
  const [left, right] = [splitLines(one).lines, splitLines(other).lines];
  const shared = align(left, right).reduce((sum, place) => sum + (place < 0 ? 0 : 1), 0);
  return left.length + right.length - 2 * shared;
}
