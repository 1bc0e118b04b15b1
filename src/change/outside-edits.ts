import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import { formatTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { findBase, MERGED } from "./find-base.ts";
import { editsBetween } from "./edits-between.ts";
import { mergeTexts } from "./merge-texts.ts";

/** The cause of what a person wrote. */
export const EDITED = "edited outside Tidemark";

/**
 * Puts on record what was written to MEMORY.md outside Tidemark, before anything else happens to it, and gives the text
 * as it is then. What was written late into a file that we had replaced is merged; so is a text that was saved over
 * ours by an editor that had not seen it. The caller holds the memory's lock.
 */
export async function settleOutsideEdits(workspace: Workspace, files: MemoryFiles): Promise<string> {
  for (const file of files.held()) await settleNote(workspace, files, file);
  let text = await settlePresent(workspace, files);
  for (const late of await files.lateEdits(MEMORY_FILE, tellForeign(workspace, MEMORY_FILE))) {
    // Who saves into an old file may have read an older one still.
    const emptied = isBlank(late.base) ? await beforeEmptying(workspace, files) : "";
    const base = await findBase(workspace, files, late.text, [isBlank(late.base) ? emptied : late.base]);
    text = await writeMerged(workspace, files, base, late.text, emptied);
    files.keepText(MEMORY_FILE, late.text, text);
    late.settle();
  }
  return text;
}

/** Merges what was written late into the diary or a note that a forget had replaced. */
async function settleNote(workspace: Workspace, files: MemoryFiles, file: string): Promise<void> {
  for (const late of await files.lateEdits(file, tellForeign(workspace, file))) {
    for (;;) {
      const text = await files.read(file);
      const merged = files.withoutErased(file, mergeTexts(late.base, text, late.text).text);
      if (merged === text || (await files.replace(file, text, merged))) break;
    }
    late.settle();
  }
}

function tellForeign(workspace: Workspace, file: string): (path: string) => void {
  return (path) =>
    workspace.emit({
      type: "notice",
      text: `${file} was saved in an encoding other than UTF-8 and was not merged; that text is in ${path}`,
    });
}

const EMPTIED_LOOK_BACK = 20;

/**
 * What the file said before it was emptied. An editor empties a file and then writes it; stopped in between, or on a slow
 * disk, it leaves us time to believe that a person wanted nothing there. What it writes then is an edit of this text.
 */
async function beforeEmptying({ state }: Workspace, { scope }: MemoryFiles): Promise<string> {
  for (const { id } of (await state.listHeads(scope, MEMORY_FILE, EMPTIED_LOOK_BACK)).toReversed()) {
    const text = (await state.readRevision(id))?.before ?? "";
    if (!isBlank(text)) return text;
  }
  return "";
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Records what the file says now, after what a save from an older text does not know was put back. */
async function settlePresent(workspace: Workspace, files: MemoryFiles): Promise<string> {
  for (;;) {
    const known = await workspace.state.latestRevision(files.scope, MEMORY_FILE);
    const text = await files.readPresent(MEMORY_FILE, known?.text);
    const recorded = known?.text ?? text;
    const latest = isBlank(recorded) && !isBlank(text) ? await beforeEmptying(workspace, files) : recorded;
    const base = await findBase(workspace, files, text, [latest]);
    if (base === latest) {
      await noteOutsideEdit(workspace, files, text);
      return text;
    }
    const { text: both, clashes } = mergeTexts(base, latest, text);
    const merged = files.withoutErased(MEMORY_FILE, both);
    files.keepText(MEMORY_FILE, text, merged);
    if (!(await files.replace(MEMORY_FILE, text, merged))) continue;
    await noteOutsideEdit(workspace, files, merged, MERGED);
    const kept = "MEMORY.md was saved from an older version; what was added in the meantime is kept";
    workspace.emit({ type: "notice", text: clashes.length === 0 ? kept : `${kept}, both versions where they clash` });
    return merged;
  }
}

/** Puts a change that was made to an older text into the present one, with what the file said before it was emptied. */
async function writeMerged(
  workspace: Workspace,
  files: MemoryFiles,
  base: string,
  text: string,
  emptied: string,
): Promise<string> {
  for (;;) {
    const current = await settlePresent(workspace, files);
    const ours = emptied === "" ? current : mergeTexts("", emptied, current).text;
    const { text: both, clashes } = mergeTexts(base, ours, text);
    const merged = files.withoutErased(MEMORY_FILE, both);
    if (merged !== current && !(await files.replace(MEMORY_FILE, current, merged))) continue;
    if (clashes.length > 0)
      workspace.emit({
        type: "notice",
        text: `MEMORY.md was edited in two places at once; both versions are kept: ${clashes[0]?.theirs[0]?.trim()}`,
      });
    await noteOutsideEdit(workspace, files, merged, MERGED);
    return merged;
  }
}

/** A text that no revision knows was written by a person: it becomes one. */
export async function noteOutsideEdit(
  workspace: Workspace,
  files: MemoryFiles,
  text: string,
  cause = EDITED,
): Promise<boolean> {
  const latest = await workspace.state.latestRevision(files.scope, MEMORY_FILE);
  if ((latest?.text ?? "") === text) return false;
  return workspace.state.recordRevision({
    scope: files.scope,
    file: MEMORY_FILE,
    text,
    author: "person",
    cause,
    run: null,
    at: formatTimestamp(workspace.now(), workspace.timezone),
    edits: editsBetween(latest?.text ?? "", text, cause, () => null),
  });
}
