import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MemoryError } from "../../errors.ts";
import type { Memory } from "../../memory.ts";
import { whyProtected } from "../confine.ts";
import { readWorkspaceBytes } from "../workspace-texts.ts";

// Whoever has more to look through has search for it.
const MOST_COPIED_BYTES = 64 * 1024 * 1024;

/**
 * Runs `work` in the folder of the workspace. Where there is none it is a copy of what this session may see, which is
 * removed afterwards: commands only read.
 */
export async function withFolder<T>(memory: Memory, session: string, work: (folder: string) => Promise<T>): Promise<T> {
  if (memory.store.folder !== undefined) return work(memory.store.folder);
  const folder = await mkdtemp(join(tmpdir(), "tidemark-exec-"));
  try {
    await copyVisible(memory, session, folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyVisible(memory: Memory, session: string, folder: string): Promise<void> {
  const own = memory.pathsOf(session);
  const documents = await memory.store.documents.list("", { isDeep: true });
  const visible = documents.filter(({ path }) => whyProtected(path, own) === undefined);
  if (visible.reduce((sum, { size }) => sum + size, 0) > MOST_COPIED_BYTES)
    throw new MemoryError(
      "PATH_REFUSED",
      "The workspace is too large to run commands over it; memory_search and read_file reach all of it",
    );
  for (const path of [...visible.map((head) => head.path), own.transcript]) {
    const bytes = await readWorkspaceBytes(memory, path);
    if (bytes === undefined) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), bytes, { mode: 0o600 });
  }
}
