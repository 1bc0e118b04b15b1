import { posix } from "node:path";
import { noteWrittenFile } from "../change/note-written-file.ts";
import { isSteering } from "../change/steering-files.ts";
import type { Documents } from "../store/documents.ts";
import { refuseForgotten } from "../files/forgotten.ts";
import { maskNew } from "../files/mask-secrets.ts";
import { MemoryError } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { Memory } from "../memory.ts";
import { formatTimestamp } from "../time.ts";
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

/** Works out a new text from the present one and puts it in its place; undefined takes the file away. */
export type Edit = (current: string | undefined) => string | undefined;

/**
 * Changes one file, with a revision of what was there and of what is there now. What someone else writes meanwhile is
 * not overwritten: the edit is worked out again on it.
 */
export async function editFile(
  editing: FileEditing,
  file: string,
  cause: string,
  edit: Edit,
): Promise<string | undefined> {
  if (file === MEMORY_FILE) return editMemory(editing, edit);
  const { memory, session } = editing;
  const mark = await memory.hear();
  return memory.withFiles(session, (files) =>
    editNote(editing, files, file, cause, async (current) => {
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
  cause: string,
  edit: (current: string | undefined) => ReturnType<Edit> | Promise<ReturnType<Edit>>,
): Promise<string | undefined> {
  const path = `${files.folder}/${file}`;
  if (isSteering(path)) throw new MemoryError("PATH_REFUSED", `${file} steers the agent; only the user may change it`);
  const { documents } = editing.memory.store;
  const current = await documents.read(path);
  const edited = await edit(current);
  const text = edited === undefined ? undefined : maskNew(edited, current ?? "");
  if (text === current) return text;
  const at = formatTimestamp(editing.now(), editing.memory.config.agents.defaults.timezone);
  const { state } = editing.memory;
  const revision = { scope: files.scope, file, run: null, at, edits: [] };
  await state.recordRevision({ ...revision, text: current ?? "", author: "person", cause: "edited outside Tidemark" });
  if (text === undefined) await documents.remove(path);
  else {
    await documents.write(path, text);
    await noteWrittenFile(editing.memory, editing.session, { path, text });
  }
  await state.recordRevision({ ...revision, text: text ?? "", author: "agent", cause });
  return text;
}

/** Every file below a folder, from the memory folder. */
export async function listFiles(documents: Documents, folder: string, below: string): Promise<string[]> {
  const heads = await documents.list(`${folder}/${below}`, { isDeep: true });
  return heads.map(({ path }) => path.slice(folder.length + 1));
}
