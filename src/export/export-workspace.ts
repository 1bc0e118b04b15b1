import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { z } from "zod";
import { makePrivateFolder } from "../store/files/disk.ts";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { formatTimestamp } from "../time.ts";
import type { Clock } from "../time.ts";
import { writeFolder } from "./write-folder.ts";
import { renderSession } from "./render-session.ts";
import { SESSIONS_FOLDER, ARCHIVE_PATH, MEMORY_FOLDER, ATTACHMENTS_PATH } from "../layout.ts";

/** What an export holds; it is also written beside it, as manifest.json. */
export interface ExportReport {
  format: "tidemark-export";
  version: 1;
  exportedAt: string;
  sessions: number;
  archived: number;
  messages: number;
  files: number;
  changes: number;
  facts: number;
  /** What could not be read, and why. */
  skipped: { path: string; reason: string }[];
}

const MANIFEST = "manifest.json";
// Where a workspace that is no folder is put first.
const UNPACKED = ".unpacked";
const Manifest = z.looseObject({ format: z.literal("tidemark-export") });

/**
 * Writes everything as plain files: sessions as JSON Lines and as Markdown, memory files, notes and documents as they
 * are, and the log of changes and facts as JSON. The folder must be empty, or hold an earlier export.
 */
export async function exportWorkspace(
  memory: Memory,
  folder: string,
  now: Clock,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<ExportReport> {
  const target = resolve(folder);
  await checkTarget(memory.store.folder, target);
  await makePrivateFolder(target);
  // First, so that an export that was stopped is known as one, and the next goes over it.
  await writeJson(join(target, MANIFEST), { format: "tidemark-export", version: 1, isFinished: false });
  const { folder: own } = memory.store;
  const workspace = own ?? join(target, UNPACKED);
  if (own === undefined) await writeFolder(memory.store, workspace);
  const folders = [SESSIONS_FOLDER, ARCHIVE_PATH] as const;
  const counts = await Promise.all(folders.map(async (name) => (await listFiles(join(workspace, name))).length));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  const write = (name: string) =>
    writeSessions(memory, join(workspace, name), join(target, name), () => onProgress(++done, total));
  const live = await write(SESSIONS_FOLDER);
  const archived = await write(ARCHIVE_PATH);
  onProgress(total, total);
  for (const name of [MEMORY_FOLDER, "docs", "skills", ATTACHMENTS_PATH]) await copyFolder(workspace, target, name);
  for (const name of ["AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md"]) await copyFolder(workspace, target, name);
  const log = await writeLog(memory, join(target, "log"));
  if (own === undefined) await rm(workspace, { recursive: true, force: true });
  const report: ExportReport = {
    format: "tidemark-export",
    version: 1,
    exportedAt: formatTimestamp(now(), memory.config.agents.defaults.timezone),
    sessions: live.sessions,
    archived: archived.sessions,
    messages: live.messages + archived.messages,
    files: (await listFiles(join(target, MEMORY_FOLDER))).length,
    ...log,
    skipped: [...live.skipped, ...archived.skipped],
  };
  await writeJson(join(target, MANIFEST), report);
  return report;
}

async function checkTarget(workspace: string | undefined, target: string): Promise<void> {
  if (workspace !== undefined && (target === workspace || target.startsWith(workspace + sep))) {
    throw new MemoryError("PATH_REFUSED", `${target} is inside the workspace; export to a folder outside it`);
  }
  const names = await listFiles(target);
  if (names.length === 0) return;
  if (names.includes(MANIFEST) && isManifest(await readFile(join(target, MANIFEST), "utf8"))) return;
  throw new MemoryError("PATH_REFUSED", `${target} is not empty and holds no export; choose another folder`);
}

function isManifest(text: string): boolean {
  try {
    return Manifest.safeParse(JSON.parse(text)).success;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new MemoryError("FILE_UNREADABLE", `Cannot read ${folder}: ${describeError(error)}`, { cause: error });
  }
}

/** Each session as it is, and for people; one that cannot be read is named, and stops nothing. */
async function writeSessions(memory: Memory, from: string, to: string, onEach: () => void) {
  const skipped: { path: string; reason: string }[] = [];
  let sessions = 0;
  let messages = 0;
  const names = (await listFiles(from)).filter((name) => name.endsWith(".jsonl"));
  if (names.length > 0) await makePrivateFolder(to);
  for (const name of names) {
    onEach();
    try {
      const bytes = await readFile(join(from, name));
      const { markdown, count } = renderSession(
        bytes.toString("utf8"),
        basename(name, ".jsonl"),
        memory.config.agents.defaults.timezone,
      );
      await writeFile(join(to, name), bytes, { mode: 0o600 });
      await writeFile(join(to, `${basename(name, ".jsonl")}.md`), markdown, { mode: 0o600 });
      sessions += 1;
      messages += count;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      skipped.push({ path: join(from, name), reason: describeError(error) });
    }
  }
  return { sessions, messages, skipped };
}

async function copyFolder(workspace: string, target: string, name: string): Promise<void> {
  try {
    await cp(join(workspace, name), join(target, name), {
      recursive: true,
      dereference: true,
      preserveTimestamps: true,
    });
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

async function writeLog({ history, queue }: Memory, folder: string): Promise<{ changes: number; facts: number }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const heads = await history.list();
  const facts = await history.listFacts();
  await writeJson(join(folder, "changes.json"), await history.at(heads.map(({ id }) => id)));
  await writeJson(join(folder, "facts.json"), facts);
  await writeJson(join(folder, "waiting.json"), await history.listWaiting());
  await writeJson(join(folder, "jobs.json"), await queue.listJobs());
  return { changes: heads.length, facts: facts.length };
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
}
