import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import { formatTimestamp, parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { align } from "./align.ts";
import { editsBetween } from "./make-edits.ts";
import { mergeTexts } from "./merge-texts.ts";
import { splitLines } from "./split-lines.ts";

const CAUSE = "edited outside Tidemark";
// An editor that was opened before a change of ours, and saved after it, does not know that change. Someone who opened
// the file longer ago than this has most likely looked at it again.
const STALE_MS = 10 * 60_000;
const STALE_REVISIONS = 50;

/**
 * Puts on record what was written to MEMORY.md outside Tidemark, before anything else happens to it, and gives the text
 * as it is then. What was written late into a file that we had replaced is merged; so is a text that was saved over
 * ours by an editor that had not seen it. The caller holds the memory's lock.
 */
export async function settleOutsideEdits(workspace: Workspace, files: MemoryFiles): Promise<string> {
  for (const late of await files.lateEdits(MEMORY_FILE)) {
    await noteOutsideEdit(workspace, files, await files.readText(MEMORY_FILE));
    await writeMerged(workspace, files, late.base, late.text);
    late.settle();
  }
  const text = await files.readText(MEMORY_FILE);
  const base = await findStaleBase(workspace, files, text);
  if (base === undefined) {
    await noteOutsideEdit(workspace, files, text);
    return text;
  }
  const latest = await workspace.state.latestRevision(files.scope, MEMORY_FILE);
  const { text: merged, clashes } = mergeTexts(base, latest?.text ?? "", text);
  if (!(await files.replace(MEMORY_FILE, text, merged))) return settleOutsideEdits(workspace, files);
  await noteOutsideEdit(workspace, files, merged);
  const kept = "MEMORY.md was saved from an older version; what was added to it meanwhile is kept";
  workspace.emit({ type: "notice", text: clashes.length === 0 ? kept : `${kept}, both versions where they clash` });
  return merged;
}

/** Puts a change that was made to an older text into the present one. */
async function writeMerged(workspace: Workspace, files: MemoryFiles, base: string, text: string): Promise<void> {
  for (;;) {
    const current = await files.readText(MEMORY_FILE);
    const { text: merged, clashes } = mergeTexts(base, current, text);
    if (merged !== current && !(await files.replace(MEMORY_FILE, current, merged))) continue;
    if (clashes.length > 0)
      workspace.emit({
        type: "notice",
        text: `MEMORY.md was edited in two places at once; both versions are there: ${clashes[0]?.theirs[0]?.trim()}`,
      });
    await noteOutsideEdit(workspace, files, merged);
    return;
  }
}

/** A text that no revision knows was written by a person: it becomes one. */
export async function noteOutsideEdit(workspace: Workspace, files: MemoryFiles, text: string): Promise<boolean> {
  const latest = await workspace.state.latestRevision(files.scope, MEMORY_FILE);
  if ((latest?.text ?? "") === text) return false;
  return workspace.state.recordRevision({
    scope: files.scope,
    file: MEMORY_FILE,
    text,
    author: "person",
    cause: CAUSE,
    run: null,
    at: formatTimestamp(workspace.now(), workspace.timezone),
    edits: editsBetween(latest?.text ?? "", text, CAUSE, () => null),
  });
}

/**
 * The older text that a saved one was made from, where that is not the newest: the one that it differs least from. A
 * text that is an older one, to the byte, was brought back on purpose.
 */
async function findStaleBase(workspace: Workspace, files: MemoryFiles, text: string): Promise<string | undefined> {
  const { state, timezone } = workspace;
  const { scope } = files;
  const latest = await state.latestRevision(scope, MEMORY_FILE);
  if (latest === undefined || latest.text === text || text.trim() === "") return undefined;
  const now = workspace.now().getTime();
  const recent = (await state.listHeads(scope, MEMORY_FILE, STALE_REVISIONS)).toReversed();
  let best = { text: latest.text, distance: distance(latest.text, text) };
  // What we replaced of late, by the clock of the disk. A kill may have come before the replacing: the same is no sign.
  const candidates = new Set(files.replacedTexts(MEMORY_FILE).filter((before) => before !== text));
  for (const { id, at, author } of recent) {
    const age = now - (parseTimestamp(at, timezone)?.getTime() ?? 0);
    // Clocks of several processes need not agree: what one of them calls old says nothing of the one before it.
    if (age > STALE_MS) continue;
    // Only what we wrote can have been missed; what a person wrote came from the editor itself.
    if (author === "person") continue;
    const { before = "" } = (await state.readRevision(id)) ?? {};
    if (before === text) return undefined;
    candidates.add(before);
  }
  for (const before of candidates) {
    const away = distance(before, text);
    if (before.trim() !== "" && away < best.distance) best = { text: before, distance: away };
  }
  return best.text === latest.text ? undefined : best.text;
}

/** How many lines one text has that the other has not, both ways. */
function distance(one: string, other: string): number {
  const [left, right] = [splitLines(one).lines, splitLines(other).lines];
  const shared = align(left, right).reduce((sum, place) => sum + (place < 0 ? 0 : 1), 0);
  return left.length + right.length - 2 * shared;
}
