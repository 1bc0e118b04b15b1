import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { mergeTexts } from "../change/merge-texts.ts";
import type { Merged } from "../change/merge-texts.ts";
import type { Environment } from "../config.ts";
import { checkConfigText, CONFIG_FILES } from "../config.ts";
import { describeError, MemoryError } from "../errors.ts";
import { createDocumentText } from "../files/document-text.ts";
import { lockOfDocument } from "../layout.ts";
import type { Store } from "../store/store.ts";
import { runEditor } from "./edit-config-by-hand.ts";

/** What became of an edit; where it could not be saved, the draft is kept, and what stands against it is named. */
export type EditedDocument =
  | { kind: "same" | "saved" | "merged" }
  | { kind: "conflict"; draft: string; clashes: Merged["clashes"] };

/** Lets a person edit a text of the workspace; what others changed meanwhile is merged, or nothing is saved. */
export async function editDocument(store: Store, file: string, environment: Environment): Promise<EditedDocument> {
  const path = posix.normalize(file);
  if (posix.isAbsolute(path) || /^\.\.(?:\/|$)/.test(path))
    throw new MemoryError("PATH_REFUSED", `${path} is refused: it is outside the workspace`);
  if (/^(?:sessions|changes)\//.test(path))
    throw new MemoryError("PATH_REFUSED", `${path} is not for editing: what was said is never changed`);
  if (/(?:^|\/)\./.test(path))
    throw new MemoryError("PATH_REFUSED", `${path} is not for editing: what is hidden is Tidemark's own`);
  const before = (await store.documents.read(path)) ?? "";
  const folder = mkdtempSync(join(tmpdir(), "tidemark-edit-"));
  const draft = join(folder, basename(path));
  writeFileSync(draft, before, { mode: 0o600 });
  try {
    const outcome = await edit(store, path, { before, draft, environment });
    if (outcome.kind !== "conflict") rmSync(folder, { recursive: true, force: true });
    return outcome;
  } catch (error) {
    // Whatever failed, what a person wrote is not thrown away.
    if (readFileSync(draft, "utf8") === before) rmSync(folder, { recursive: true, force: true });
    else if (error instanceof MemoryError)
      throw new MemoryError(error.code, `${describeError(error)}; nothing was saved, and your text is in ${draft}`, {
        cause: error,
      });
    throw error;
  }
}

async function edit(
  store: Store,
  path: string,
  { before, draft, environment }: { before: string; draft: string; environment: Environment },
): Promise<EditedDocument> {
  runEditor(draft, environment);
  const ours = readFileSync(draft, "utf8");
  if (ours === before) return { kind: "same" };
  if (CONFIG_FILES.includes(path)) checkConfigText(path, ours);
  const document = createDocumentText(store, path, before);
  // No process of ours writes between the look and the writing.
  return store.locks.with(lockOfDocument(path), async () => {
    for (;;) {
      const theirs = await document.read();
      const { text, clashes } = mergeTexts(before, ours, theirs);
      if (clashes.length > 0) return { kind: "conflict", draft, clashes };
      // Another window was saved just now: it is read again.
      if (!(await document.replace(theirs, text))) continue;
      return { kind: theirs === before ? "saved" : "merged" };
    }
  });
}
