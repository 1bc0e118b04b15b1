import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { mergeTexts } from "../change/merge-texts.ts";
import type { Environment } from "../config.ts";
import { checkConfigText, CONFIG_FILES } from "../config.ts";
import { MemoryError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { runEditor } from "./edit-config-by-hand.ts";

/** What became of an edit; the draft is kept where it could not be saved. */
export interface EditedDocument {
  kind: "same" | "saved" | "merged" | "conflict";
  draft?: string;
}

/** Lets a person edit a text of the workspace; what others changed meanwhile is merged, or nothing is saved. */
export async function editDocument(store: Store, path: string, environment: Environment): Promise<EditedDocument> {
  if (path.startsWith("sessions/"))
    throw new MemoryError("PATH_REFUSED", `${path} is not for editing: what was said is never changed`);
  const before = (await store.documents.read(path)) ?? "";
  const folder = mkdtempSync(join(tmpdir(), "tidemark-edit-"));
  const draft = join(folder, basename(path));
  writeFileSync(draft, before, { mode: 0o600 });
  let isKept = false;
  try {
    runEditor(draft, environment);
    const ours = readFileSync(draft, "utf8");
    if (ours === before) return { kind: "same" };
    isKept = true;
    if (CONFIG_FILES.includes(path)) checkConfigText(path, ours);
    const theirs = (await store.documents.read(path)) ?? "";
    const { text, clashes } = mergeTexts(before, ours, theirs);
    if (clashes.length > 0) return { kind: "conflict", draft };
    await store.documents.write(path, text);
    isKept = false;
    return { kind: theirs === before ? "saved" : "merged" };
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}
