import type { Memory } from "../../src/index.ts";

// Tests that go through these hold for every store; those that look into the folder hold for folders alone.

/** The text of a document; "" where there is none. */
export async function readDocument({ store }: Memory, path: string): Promise<string> {
  return (await store.documents.read(path)) ?? "";
}

/** Puts a text in its place, as a person with an editor does. */
export async function writeDocument({ store }: Memory, path: string, text: string): Promise<void> {
  await store.documents.write(path, text);
}

/** Adds to the end of a document. */
export async function appendDocument(memory: Memory, path: string, text: string): Promise<void> {
  await writeDocument(memory, path, `${await readDocument(memory, path)}${text}`);
}

/** The names of the documents in a folder. */
export async function listDocuments({ store }: Memory, folder: string): Promise<string[]> {
  return (await store.documents.list(folder)).map(({ path }) => path.slice(folder.length + 1)).toSorted();
}

/** The lines of a session, as its file has them. */
export async function readTalk({ store }: Memory, path: string): Promise<string> {
  return (await store.logs.readLines(path)) ?? "";
}
