import { z } from "zod";
import { markFileText } from "../change/mark-file-text.ts";
import { appendRecord } from "../change/carry-out.ts";
import { outsideFile } from "../change/note-written-file.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import { HISTORY_FILE, MEMORY_FILE } from "../layout.ts";
import type { Memory } from "../memory.ts";
import type { Documents } from "../store/documents.ts";
import type { Clock } from "../time.ts";
import { editFile, editNote, kindOf, listFiles } from "./kept-files.ts";
import type { Edit, FileEditing } from "./kept-files.ts";
import { resolveMemoryPath } from "./memory-path.ts";
import type { MemoryPath } from "./memory-path.ts";
import { numberLines, showFolder } from "./show-files.ts";
import { undoFile } from "./undo-file.ts";

const View = z.object({ command: z.literal("view"), path: z.string(), view_range: z.array(z.int()).optional() });
const Create = z.object({ command: z.literal("create"), path: z.string(), file_text: z.string() });
const Replace = z.object({
  command: z.literal("str_replace"),
  path: z.string(),
  old_str: z.string(),
  new_str: z.string(),
});
const Insert = z.object({
  command: z.literal("insert"),
  path: z.string(),
  insert_line: z.int(),
  insert_text: z.string(),
});
const Delete = z.object({ command: z.literal("delete"), path: z.string() });
const Rename = z.object({ command: z.literal("rename"), old_path: z.string(), new_path: z.string() });
const MemoryCommand = z.discriminatedUnion("command", [View, Create, Replace, Insert, Delete, Rename]);

/** The handlers of Anthropic's memory tool, for its SDK's `betaMemoryTool`; each answers with text or throws. */
export interface MemoryTool {
  view(command: z.infer<typeof View>): Promise<string>;
  create(command: z.infer<typeof Create>): Promise<string>;
  str_replace(command: z.infer<typeof Replace>): Promise<string>;
  insert(command: z.infer<typeof Insert>): Promise<string>;
  delete(command: z.infer<typeof Delete>): Promise<string>;
  rename(command: z.infer<typeof Rename>): Promise<string>;
}

/** The tool, and what a person or a program needs besides. */
export interface MemoryToolKit {
  handlers: MemoryTool;
  /** Carries out a command as it came from the model. */
  run(input: unknown): Promise<string>;
  /** Takes back the newest change of a file that the tool made. */
  undo(path: string): Promise<string>;
}

/** Serves /memories from the memory folder of a session: MEMORY.md, the diary and the notes. */
export function createMemoryTool(
  memory: Memory,
  { session, now = () => new Date() }: { session: string; now?: Clock },
): MemoryToolKit {
  const editing: FileEditing = { memory, session, now };
  const folder = memory.pathsOf(session).memoryFolder;
  const { documents } = memory.store;
  const resolve = (path: string) => resolveMemoryPath(documents, folder, path);
  const handlers: MemoryTool = {
    view: ({ path, view_range }) =>
      onDisk(async () => {
        const place = await resolve(path);
        return markFileText(memory, [place.path], await view(documents, place, view_range));
      }),
    create: ({ path, file_text }) => onDisk(async () => create(editing, await resolve(path), file_text)),
    str_replace: ({ path, old_str, new_str }) =>
      onDisk(async () => replaceText(editing, await resolve(path), old_str, new_str)),
    insert: ({ path, insert_line, insert_text }) =>
      onDisk(async () => insert(editing, await resolve(path), insert_line, insert_text)),
    delete: ({ path }) => onDisk(async () => remove(editing, folder, await resolve(path))),
    rename: ({ old_path, new_path }) =>
      onDisk(async () => rename(editing, folder, await resolve(old_path), await resolve(new_path))),
  };
  return {
    handlers,
    async run(input) {
      const command = readCommand(input);
      if (command.command === "view") return handlers.view(command);
      if (command.command === "create") return handlers.create(command);
      if (command.command === "str_replace") return handlers.str_replace(command);
      if (command.command === "insert") return handlers.insert(command);
      return command.command === "delete" ? handlers.delete(command) : handlers.rename(command);
    },
    undo: (path) => onDisk(async () => undoFile(editing, await resolve(path))),
  };
}

function readCommand(input: unknown): z.infer<typeof MemoryCommand> {
  const { data, error } = MemoryCommand.safeParse(input);
  if (data) return data;
  throw new MemoryError("QUERY_INVALID", describeError(error), { cause: error });
}

/** What the disk refuses is told as any other failure, without the paths that the system names. */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof MemoryError ? undefined : systemCode(error);
    if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw error;
    throw new MemoryError("FILE_UNWRITABLE", `The disk refused it (${code})`, { cause: error });
  }
}

async function view(documents: Documents, path: MemoryPath, range: readonly number[] | undefined): Promise<string> {
  if (path.file === "" || (await kindOf(documents, path.path)) === "folder") return showFolder(documents, path);
  const lines = (await needText(documents, path)).split("\n");
  const [from = 1, to = -1] = range?.length === 2 ? range : [];
  const start = Math.max(1, from);
  const picked = lines.slice(start - 1, to === -1 ? undefined : to);
  return `Here's the content of ${path.shown} with line numbers:\n${numberLines(picked, start)}`;
}

async function create(editing: FileEditing, path: MemoryPath, text: string): Promise<string> {
  refuseDiary(path);
  const taken = new MemoryError("PATH_REFUSED", `File ${path.shown} already exists`);
  if (path.file === "" || (await kindOf(editing.memory.store.documents, path.path)) === "folder") throw taken;
  await editFile(editing, path.file, { cause: "edit", trigger: "create" }, (current) => {
    if (current !== undefined) throw taken;
    return maskSecrets(text);
  });
  return `File created successfully at: ${path.shown}`;
}

async function replaceText(editing: FileEditing, path: MemoryPath, old: string, by: string): Promise<string> {
  refuseDiary(path);
  await needText(editing.memory.store.documents, path);
  let place = 0;
  const edit: Edit = (current = "") => {
    const places = placesOf(current, old);
    if (places.length === 0) {
      throw new MemoryError(
        "NOT_FOUND",
        `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path.shown}.`,
      );
    }
    if (places.length > 1) {
      const lines = places.map(({ line }) => line).join(", ");
      throw new MemoryError(
        "NOT_FOUND",
        `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines}. Please ensure it is unique`,
      );
    }
    place = places[0]?.at ?? 0;
    return current.slice(0, place) + maskSecrets(by) + current.slice(place + old.length);
  };
  const text = (await editFile(editing, path.file, { cause: "edit", trigger: "str_replace" }, edit)) ?? "";
  const line = text.slice(0, place).split("\n").length;
  const first = Math.max(1, line - 2);
  const snippet = numberLines(text.split("\n").slice(first - 1, line + 2), first);
  const told = `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`;
  return markFileText(editing.memory, [path.path], told);
}

async function insert(editing: FileEditing, path: MemoryPath, line: number, text: string): Promise<string> {
  const present = await needText(editing.memory.store.documents, path);
  if (path.file === HISTORY_FILE && line >= present.trimEnd().split("\n").length) {
    await editing.memory.appendHistory(text, editing.session);
    return `The file ${path.shown} has been edited.`;
  }
  refuseDiary(path);
  await editFile(editing, path.file, { cause: "edit", trigger: "insert" }, (current = "") => {
    const lines = current.split("\n");
    if (line < 0 || line > lines.length) {
      throw new MemoryError(
        "NOT_FOUND",
        `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
      );
    }
    return lines.toSpliced(line, 0, maskSecrets(text).replace(/\n$/, "")).join("\n");
  });
  return `The file ${path.shown} has been edited.`;
}

async function remove(editing: FileEditing, folder: string, path: MemoryPath): Promise<string> {
  refuseRoot(path, "delete");
  refuseMain(path, "deleted");
  const { documents, forgetting } = editing.memory.store;
  const kind = await needThere(documents, path);
  await editing.memory.withFiles(editing.session, async (files) => {
    const names = kind === "file" ? [path.file] : await listFiles(documents, folder, path.file);
    for (const file of names)
      await editNote(editing, files, file, { cause: "edit", trigger: "delete" }, () => undefined);
    if (kind === "folder") await forgetting.removeFolder(path.path);
  });
  return `Successfully deleted ${path.shown}`;
}

async function rename(editing: FileEditing, folder: string, from: MemoryPath, to: MemoryPath): Promise<string> {
  refuseRoot(from, "rename");
  refuseMain(from, "renamed");
  await editing.memory.withFiles(editing.session, async (files) => {
    const { documents, forgetting } = editing.memory.store;
    if ((await kindOf(documents, to.path)) !== "nothing") {
      throw new MemoryError("PATH_REFUSED", `The destination ${to.shown} already exists`);
    }
    refuseMain(to, "replaced");
    const kind = await needThere(documents, from);
    if (kind === "folder" && `${to.file}/`.startsWith(`${from.file}/`)) {
      throw new MemoryError("PATH_REFUSED", `${from.shown} cannot be moved into itself`);
    }
    const moved = kind === "file" ? [from.file] : await listFiles(documents, folder, from.file);
    for (const file of moved) {
      const text = (await documents.read(`${folder}/${file}`)) ?? "";
      // The copy comes first: killed in between, it is there twice rather than nowhere.
      const renamed = `${to.file}${file.slice(from.file.length)}`;
      await editNote(editing, files, renamed, { cause: "edit", trigger: "rename" }, () => text);
      const places = [file, renamed].map((each) => `${folder}/${each}`);
      const [mark] = await editing.memory.history.findOutsideFiles(places.slice(0, 1));
      if (mark) await appendRecord(editing.memory.opened, outsideFile(files.scope, places[1] ?? "", mark.tool));
      await editNote(editing, files, file, { cause: "edit", trigger: "rename" }, () => undefined);
    }
    if (kind === "folder") await forgetting.removeFolder(from.path);
  });
  return `Successfully renamed ${from.shown} to ${to.shown}`;
}

async function needThere(documents: Documents, path: MemoryPath): Promise<"file" | "folder"> {
  const kind = await kindOf(documents, path.path);
  if (kind === "nothing") throw new MemoryError("NOT_FOUND", `The path ${path.shown} does not exist`);
  return kind;
}

async function needText(documents: Documents, path: MemoryPath): Promise<string> {
  const kind = path.file === "" ? "folder" : await kindOf(documents, path.path);
  if (kind === "nothing") {
    throw new MemoryError("NOT_FOUND", `The path ${path.shown} does not exist. Please provide a valid path.`);
  }
  if (kind === "folder") throw new MemoryError("PATH_REFUSED", `The path ${path.shown} is not a file.`);
  return (await documents.read(path.path)) ?? "";
}

function refuseDiary({ file, shown }: MemoryPath): void {
  if (file !== HISTORY_FILE) return;
  throw new MemoryError(
    "PATH_REFUSED",
    `${shown} is a diary: entries are added at its end (insert), and never changed`,
  );
}

function refuseRoot({ file }: MemoryPath, what: string): void {
  if (file === "") throw new MemoryError("PATH_REFUSED", `Cannot ${what} the /memories directory itself`);
}

/** The two files that are not the agent's to move: every prompt and every digest counts on them. */
function refuseMain({ file, shown }: MemoryPath, what: string): void {
  if (file !== MEMORY_FILE && file !== HISTORY_FILE) return;
  throw new MemoryError(
    "PATH_REFUSED",
    `${shown} cannot be ${what}${file === MEMORY_FILE ? "; edit what it says instead" : ""}`,
  );
}

/** Where words stand, the first place of each line. */
function placesOf(text: string, words: string): { at: number; line: number }[] {
  const places: { at: number; line: number }[] = [];
  if (words === "") return places;
  let line = 1;
  let lineEnd = text.indexOf("\n");
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    for (; lineEnd >= 0 && lineEnd < at; lineEnd = text.indexOf("\n", lineEnd + 1)) line++;
    if (places.at(-1)?.line !== line) places.push({ at, line });
  }
  return places;
}
