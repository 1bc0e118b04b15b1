import { MemoryError } from "../errors.ts";
import { MEMORY_FILE } from "../layout.ts";
import { editNote } from "./kept-files.ts";
import type { FileEditing } from "./kept-files.ts";
import type { MemoryPath } from "./memory-path.ts";

/** Takes back the newest change that the tool made to a file, as a new change; what a person wrote since stays. */
export async function undoFile(editing: FileEditing, { file, shown, path }: MemoryPath): Promise<string> {
  const { memory, session } = editing;
  if (file === MEMORY_FILE) return undoMemory(editing, shown);
  return memory.withFiles(session, async (files) => {
    const last = await memory.history.latest(files.scope, file);
    if (last === undefined || last.change.author !== "agent")
      throw new MemoryError("NOT_FOUND", `There is nothing to undo in ${shown}`);
    if (((await memory.store.documents.read(path)) ?? "") !== last.text) {
      throw new MemoryError("NOT_FOUND", `${shown} has changed since; nothing was undone`);
    }
    const { id, trigger, cause } = last.change;
    const { before = "" } = (await memory.history.textsOf(id)) ?? {};
    await editNote(editing, files, file, { cause: "undo", of: id }, () => (before === "" ? undefined : before));
    return `Undid ${trigger ?? cause} of ${shown}`;
  });
}

async function undoMemory({ memory, session }: FileEditing, shown: string): Promise<string> {
  const outcome = await memory.undo({ key: session, by: "memory-tool" });
  if (outcome.kind === "undone") return `Undid ${outcome.cause} of ${shown}`;
  const reason =
    outcome.kind === "conflict"
      ? `these facts have changed since: ${outcome.facts.join("; ")}`
      : "there is nothing to undo";
  throw new MemoryError("NOT_FOUND", `Nothing was undone: ${reason}`);
}
