import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Store } from "../store/store.ts";

/** What was written. */
export interface WrittenFolder {
  readonly documents: number;
  readonly sessions: number;
}

/** Writes a workspace as the folder that people know: documents and transcripts, without the program's own state. */
export async function writeFolder(
  store: Store,
  folder: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<WrittenFolder> {
  const put = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), content, { mode: 0o600 });
  };
  const documents = (await store.documents.list("", { isDeep: true })).filter(({ path }) => isWanted(path));
  for (const { path } of documents) {
    const bytes = await store.documents.readBytes(path);
    if (bytes !== undefined) await put(path, bytes);
  }
  const heads = [...(await store.logs.heads("present")), ...(await store.logs.heads("archived"))];
  const sessions = heads.filter(({ path }) => isWanted(path));
  for (const { path } of sessions) {
    const lines = await store.logs.readLines(path);
    if (lines !== undefined) await put(path, lines);
  }
  return { documents: documents.length, sessions: sessions.length };
}
