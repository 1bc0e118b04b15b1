import type { MemoryFiles } from "../files/memory-files.ts";
import { hashText, isSave } from "../history/change.ts";
import type { Change, ChangeHead, HeldItem } from "../history/change.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import { containment, keyWords } from "../language/similarity.ts";
import { MEMORY_FILE } from "../layout.ts";
import { parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { appendRecord } from "./carry-out.ts";
import { countEquals } from "./edit-records.ts";
import { editsBetween } from "./edits-between.ts";
import { mergeTexts } from "./merge-texts.ts";
import { readOutline } from "./read-outline.ts";

/** What the log says of what a person wrote. */
const EDITED = "edited outside Tidemark";
// Merged by us: a window that was opened before does not show it.
const LATE = "late";
const LEFT_OUT = "your save left this out; it was written a moment before";
// A window that was opened before a change of ours, and saved after it, does not show that change.
const FRESH_MS = 10 * 60_000;
const FRESH_CHANGES = 200;

/**
 * Puts on record what was written to MEMORY.md outside Tidemark, before anything else happens to it, and gives the text
 * as it is then. A person's save is taken at its word; what was written late into a file that we had replaced is merged.
 * The caller holds the memory's lock.
 */
export async function settleOutsideEdits(workspace: Workspace, files: MemoryFiles): Promise<string> {
  for (const file of files.held()) await mergeLate(workspace, files, file);
  await mergeLate(workspace, files, MEMORY_FILE);
  const latest = await workspace.history.latest(files.scope, MEMORY_FILE);
  const text = await files.readPresent(MEMORY_FILE, latest?.text);
  await noteOutsideEdit(workspace, files, text);
  return text;
}

/** Merges what was written late into a file that was replaced, by someone who had the old one open. */
async function mergeLate(workspace: Workspace, files: MemoryFiles, file: string): Promise<void> {
  const tellForeign = (path: string) =>
    workspace.emit({
      type: "notice",
      text: `${file} was saved in an encoding other than UTF-8 and was not merged; that text is in ${path}`,
    });
  for (const late of await files.lateEdits(file, tellForeign)) {
    // What stands there now is on record first: it is not what comes late.
    if (file === MEMORY_FILE) await noteOutsideEdit(workspace, files, await files.readPresent(file, late.base));
    for (;;) {
      const text = await files.readPresent(file, late.base);
      const { text: both, clashes } = mergeTexts(late.base, text, late.text);
      const merged = files.withoutErased(file, both);
      if (merged !== text && !(await files.replace(file, text, merged))) continue;
      if (clashes.length > 0)
        workspace.emit({
          type: "notice",
          text: `${file} was edited in two places at once; both versions are kept: ${clashes[0]?.theirs[0]?.trim()}`,
        });
      if (file === MEMORY_FILE) await noteOutsideEdit(workspace, files, merged, LATE);
      break;
    }
    late.settle();
  }
}

/** A text that the log does not know was written by a person: it becomes a change of theirs. */
async function noteOutsideEdit(
  workspace: Workspace,
  files: MemoryFiles,
  text: string,
  trigger: string | null = null,
): Promise<void> {
  const change = await describeSave(workspace, files.scope, text);
  if (change === undefined) return;
  await appendRecord(workspace, { ...change, trigger });
  const left = change.held?.items.length ?? 0;
  if (left > 0)
    workspace.emit({
      type: "notice",
      text: `MEMORY.md was saved without ${left === 1 ? "a fact" : `${left} facts`} written a moment before; tidemark review has ${left === 1 ? "it" : "them"}`,
    });
}

/** What a person's save changed, as far as the log does not know it; undefined where it knows all of it. */
export async function describeSave(
  workspace: Workspace,
  scope: string,
  text: string,
): Promise<(Pick<Change, "scope" | "author" | "by" | "cause"> & Partial<Change>) | undefined> {
  const { history } = workspace;
  const latest = await history.latest(scope, MEMORY_FILE);
  const before = latest?.text ?? "";
  if (before === text) return undefined;
  const edits = editsBetween(before, text, EDITED, () => null);
  const items = latest === undefined ? [] : await leftOut(workspace, scope, edits);
  return {
    id: await nameSave(workspace, latest?.change.id ?? `first of ${scope}`),
    scope,
    author: "person",
    by: "user",
    cause: "edit",
    edits: countEquals(edits, text),
    text: await history.describeText(scope, MEMORY_FILE, text),
    held: items.length === 0 ? null : { reason: LEFT_OUT, base: latest?.change.id ?? null, items },
  };
}

// Of a fact that a person put in other words so much is still there; other words in its place are another fact.
const STILL_SAID = 0.5;

function isRewording({ text, words }: { text: string; words: string }): boolean {
  return containment(keyWords(text), keyWords(words), () => 1) >= STILL_SAID;
}

/** One change comes next after another: a save is called the same by those who only look, and by whoever records it. */
async function nameSave({ history, newId }: Workspace, before: string): Promise<string> {
  const id = BigInt(`0x${hashText(`save after ${before}`)}`)
    .toString(36)
    .slice(0, 10);
  return (await history.find(id)).length === 0 ? id : newId();
}

/** What a save took out of what we wrote a moment before: the window may not have shown it, so that a person decides. */
async function leftOut(workspace: Workspace, scope: string, edits: readonly Edit[]): Promise<HeldItem[]> {
  const gone = edits.filter((edit) => edit.kind === "remove" || (edit.kind === "replace" && !isRewording(edit)));
  if (gone.length === 0) return [];
  const { history, now, timezone } = workspace;
  const isFresh = ({ at }: ChangeHead) =>
    Math.abs(now().getTime() - (parseTimestamp(at, timezone)?.getTime() ?? 0)) <= FRESH_MS;
  const recent = await history.list({ scope, file: MEMORY_FILE, last: FRESH_CHANGES });
  const ours = recent.filter((change) => (!isSave(change) || change.trigger === LATE) && isFresh(change));
  const added = new Map<string, Edit>();
  for (const change of await history.at(ours.map(({ id }) => id)))
    for (const edit of change.edits) {
      const words = wordsAfter(edit);
      if (words !== undefined) added.set(words, edit);
    }
  return gone.flatMap((edit, index): HeldItem[] => {
    const source = added.get(edit.text);
    if (source === undefined || edit.kind === "add") return [];
    const { file, path, text, place, was } = edit;
    const headings = path.map((title, level) => ({ level: Math.min(level + 1, 6), title }));
    const brought = "source" in source ? source.source : null;
    const lines = was.length > 0 ? was : readOutline(`- ${text}`).lines.slice(0, 1);
    const add: Edit = {
      kind: "add",
      file,
      path,
      text,
      place,
      lines: [...lines],
      headings,
      follows: null,
      source: brought,
    };
    return [{ id: String(index + 1), reason: LEFT_OUT, edit: add }];
  });
}
