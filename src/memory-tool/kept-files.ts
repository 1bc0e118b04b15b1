import { posix } from "node:path";
import { noteWrittenFile } from "../change/note-written-file.ts";
import { recordText } from "../change/steering-files.ts";
import type { Change } from "../history/change.ts";
import { isSteering } from "../change/steering-files.ts";
import type { Documents } from "../store/documents.ts";
import { refuseForgotten } from "../files/forgotten.ts";
import { maskNew } from "../files/mask-secrets.ts";
import { MemoryError } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { Memory } from "../memory.ts";
import type { Clock } from "../time.ts";

/** What the tool changes files with. */
export interface FileEditing {
  memory: Memory;
  session: string;
  now: Clock;
}

/** Whether a path is a file, a folder, or not there. */
export async function kindOf(documents: Documents, path: string): Promise<"file" | "folder" | "nothing"> {
  const folder = posix.dirname(path);
  const parent = folder === "." ? "" : folder;
  if ((await documents.list(parent)).some((head) => head.path === path)) return "file";
  return (await documents.listFolders(parent)).includes(posix.basename(path)) ? "folder" : "nothing";
}

/** Why a file is changed: what the tool was asked to do, or which change is taken back. */
export type Why = Pick<Change, "cause"> & Partial<Pick<Change, "trigger" | "of">>;

/** Works out a new text from the present one and puts it in its place; undefined takes the file away. */
export type Edit = (current: string | undefined) => string | undefined;

/**
 * Changes one file, with what was there and what is there now on record. What someone else writes meanwhile is
 * not overwritten: the edit is worked out again on it.
 */
export async function editFile(editing: FileEditing, file: string, why: Why, edit: Edit): Promise<string | undefined> {
  if (file === MEMORY_FILE) return editMemory(editing, edit);
  const { memory, session } = editing;
  const mark = await memory.hear();
  return memory.withFiles(session, (files) =>
    editNote(editing, files, file, why, async (current) => {
      const text = edit(current);
      const known = new Set(current?.split("\n"));
      const fresh = text?.split("\n").filter((line) => !known.has(line)) ?? [];
      await refuseForgotten(memory.store.documents, mark, { texts: fresh });
      return text;
    }),
  );
}

/** MEMORY.md has one door. */
async function editMemory({ memory, session }: FileEditing, edit: Edit): Promise<string | undefined> {
  const heard = await memory.hear();
  for (;;) {
    const current = await memory.readMemory(session);
    const text = edit(current === "" ? undefined : current) ?? "";
    const { kind, waiting } = await memory.rewrite(session, text, "memory tool", current, heard);
    if (waiting.length > 0) {
      const list = waiting.map((fact) => `\n- ${fact}`).join("");
      throw new MemoryError(
        "PATH_REFUSED",
        `These changes rest on content from outside, not on the user's word; they are waiting for the user (tidemark review):${list}`,
      );
    }
    if (kind !== "changed-meanwhile") return text;
  }
}

/** The caller holds the memory's lock. */
export async function editNote(
  editing: FileEditing,
  files: MemoryFiles,
  file: string,
  why: Why,
  edit: (current: string | undefined) => ReturnType<Edit> | Promise<ReturnType<Edit>>,
): Promise<string | undefined> {
  const path = `${files.folder}/${file}`;
  if (isSteering(path)) throw new MemoryError("PATH_REFUSED", `${file} steers the agent; only the user may change it`);
  const { documents } = editing.memory.store;
  const current = await documents.read(path);
  const edited = await edit(current);
  const text = edited === undefined ? undefined : maskNew(edited, current ?? "");
  if (text === current) return text;
  await recordText(editing.memory.opened, files.scope, {
    file,
    text: current ?? "",
    author: "person",
    by: "user",
    cause: "edit",
  });
  if (text === undefined) await documents.remove(path);
  else {
    await documents.write(path, text);
    await noteWrittenFile(editing.memory, editing.session, { path, text, isLocked: true });
  }
  await recordText(editing.memory.opened, files.scope, {
    file,
    text: text ?? "",
    author: "agent",
    by: "memory tool",
    ...why,
  });
  return text;
}

/** Every file below a folder, from the memory folder. */
export async function listFiles(documents: Documents, folder: string, below: string): Promise<string[]> {
  const heads = await documents.list(`${folder}/${below}`, { isDeep: true });
  return heads.map(({ path }) => path.slice(folder.length + 1));
}
