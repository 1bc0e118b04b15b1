import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { it } from "vitest";
import { ARCHIVE_FOLDER, OWN_FOLDER, SESSIONS_FOLDER } from "../../src/layout.ts";
import { encodeKey } from "../../src/session/file-name.ts";
import { Message } from "../../src/session/message.ts";
import { isAddress, readAddress } from "../../src/store/address.ts";
import type { Engine } from "../../src/store/postgres/engine.ts";
import { openEngine } from "../../src/store/postgres/open-engine.ts";
import { createTenant } from "../../src/store/postgres/tenant.ts";
import type { Tenant } from "../../src/store/postgres/tenant.ts";
import type { Store } from "../../src/store/store.ts";

// What a workspace keeps, looked at and changed from outside, as a person with an editor does: on the disk itself where
// it is a folder, and over the store that TIDEMARK_TEST_STORE names by a connection of our own.

/** The address of the store that the suites run over; undefined for folders. */
export const testStore = process.env["TIDEMARK_TEST_STORE"];

let uses = 0;

/** How often a workspace of that store was named: a suite that never does runs over folders, whatever is said. */
export function countUses(): number {
  return uses;
}

/** How a workspace is opened by a process that does not go through `open`. */
export function placeOf(workspace: string): { workspace: string; store?: string } {
  return testStore === undefined ? { workspace } : { workspace: nameOf(workspace), store: testStore };
}

/** The environment in which the command line takes `-w` for the name of a workspace there. */
export function storeEnvironment(): Record<string, string> {
  return testStore === undefined ? {} : { TIDEMARK_STORE: testStore };
}

/** Arguments of the command line that name a folder, as they name its workspace there. */
export function toArguments(args: readonly string[]): string[] {
  return args.map((each, index) => (testStore !== undefined && args[index - 1] === "-w" ? nameOf(each) : each));
}

/** The text of a document or of a session's lines; an error where there is none. */
export async function readKept(workspace: string, path: string): Promise<string> {
  if (testStore === undefined) return readFileSync(join(workspace, path), "utf8");
  const text = await lookFor(workspace, path);
  if (text === undefined) throw new Error(`ENOENT: there is no ${path} in ${workspace}`);
  return text;
}

/** The same; undefined where there is none. */
export async function readIfKept(workspace: string, path: string): Promise<string | undefined> {
  return (await isKept(workspace, path)) ? readKept(workspace, path) : undefined;
}

/** Changes whenever a document is written, also with the same text. */
export async function stampOf(workspace: string, path: string): Promise<string> {
  if (testStore === undefined) {
    const { mtimeMs, ino } = statSync(join(workspace, path));
    return `${mtimeMs} ${ino}`;
  }
  const heads = await (await storeOf(workspace)).documents.list(dirname(path));
  const head = heads.find((each) => each.path === path);
  if (head === undefined) throw new Error(`ENOENT: there is no ${path} in ${workspace}`);
  return head.stamp;
}

/** Whether there is such a document or session. */
export async function isKept(workspace: string, path: string): Promise<boolean> {
  if (testStore === undefined) return existsSync(join(workspace, path));
  return (await lookFor(workspace, path)) !== undefined || (await listKept(workspace, path)).length > 0;
}

/** Puts a text in the place of a document, also before the workspace is first opened. */
export async function writeKept(workspace: string, path: string, text: string | Uint8Array): Promise<void> {
  if (testStore !== undefined) return (await storeOf(workspace)).documents.write(path, text);
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

/** Adds to the end of a document. */
export async function appendKept(workspace: string, path: string, text: string): Promise<void> {
  if (testStore === undefined) appendFileSync(join(workspace, path), text);
  else await writeKept(workspace, path, `${(await readIfKept(workspace, path)) ?? ""}${text}`);
}

/** Takes a document away. */
export async function removeKept(workspace: string, path: string): Promise<void> {
  if (testStore === undefined) rmSync(join(workspace, path), { recursive: true, force: true });
  else await (await storeOf(workspace)).documents.remove(path);
}

/** The names in a folder, in order; none where there is no such folder. */
export async function listKept(workspace: string, folder: string): Promise<string[]> {
  if (testStore === undefined) {
    const path = join(workspace, folder);
    return existsSync(path) ? readdirSync(path).toSorted() : [];
  }
  const { documents, logs } = await storeOf(workspace);
  const heads = [
    ...(await documents.list(folder)),
    ...(await logs.heads("present")),
    ...(await logs.heads("archived")),
  ];
  const names = heads.map(({ path }) => path).filter((path) => dirname(path) === (folder === "" ? "." : folder));
  return [...names.map((path) => basename(path)), ...(await documents.listFolders(folder))].toSorted();
}

/** Everything that people can read, by its path: documents and sessions, and nothing of the program's own. */
export async function readAllKept(workspace: string): Promise<Map<string, string>> {
  const texts = await Promise.all(
    (await listAll(workspace)).map(async (path) => [path, await readKept(workspace, path)]),
  );
  return new Map(texts.map(([path = "", text = ""]) => [path, text]));
}

async function listAll(workspace: string): Promise<string[]> {
  if (testStore === undefined) {
    const names = readdirSync(workspace, { recursive: true, encoding: "utf8" });
    return names.filter((name) => !name.startsWith(OWN_FOLDER) && statSync(join(workspace, name)).isFile()).toSorted();
  }
  const { documents, logs } = await storeOf(workspace);
  const own = await documents.list("", { isDeep: true });
  const heads = [...own, ...(await logs.heads("present")), ...(await logs.heads("archived"))];
  return heads
    .map(({ path }) => path)
    .filter((path) => !path.startsWith(OWN_FOLDER))
    .toSorted();
}

/** Adds to a session what another program kept, without ids or times of ours; one that begins so has this cursor. */
export async function keepTalk(
  workspace: string,
  key: string,
  messages: readonly { role: string; content?: unknown }[],
  cursor = 0,
): Promise<void> {
  if (testStore === undefined) {
    const path = `${SESSIONS_FOLDER}/${encodeKey(key)}.jsonl`;
    const head = `${JSON.stringify({ _type: "metadata", key, last_consolidated: cursor })}\n`;
    if (!existsSync(join(workspace, path))) await writeKept(workspace, path, head);
    appendFileSync(join(workspace, path), messages.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return;
  }
  const log = await (await storeOf(workspace)).logs.open(key);
  const stored = messages.map((message, index) => Message.parse({ id: `kept-${log.length + index}`, ...message }));
  await log.append(stored.map((message) => ({ ...message, id: message.id ?? "" })));
  if (cursor > 0) await log.moveCursor(cursor, log.identity);
}

/** A test of the folder itself, which another store does not have; the reason says why. */
export function ofFolder(reason: string) {
  return testStore === undefined ? it : it.skipIf(reason !== "");
}

const stores = new Map<string, Promise<Store>>();
let engine: Engine | undefined;

/** The rows of a workspace, for what no store would tell. */
export function tenantOf(workspace: string): Tenant {
  return createTenant(ownEngine(), nameOf(workspace));
}

/** One pool for all workspaces; it goes with the process. */
function ownEngine(): Engine {
  return (engine ??= openEngine({ urls: readAddress(testStore ?? "").urls, poolSize: 2 }));
}

/** The store of a workspace, by our own connection. */
export function storeOf(workspace: string): Promise<Store> {
  const setting = {
    timezone: "UTC",
    timestamp: () => new Date().toISOString(),
    newId: String,
    notice: () => undefined,
  };
  // Loaded only by suites that run over it.
  const open = async () =>
    (await import("../../src/store/postgres/open-postgres-store.ts")).openPostgresStore(
      ownEngine(),
      nameOf(workspace),
      setting,
    );
  const store = stores.get(workspace) ?? open();
  stores.set(workspace, store);
  return store;
}

/** What is called a folder has the name of one no more; a memory on a database says its address. */
function nameOf(workspace: string): string {
  uses++;
  return isAddress(workspace) ? readAddress(workspace).workspace : workspace.replaceAll("/", "-");
}

async function lookFor(workspace: string, path: string): Promise<string | undefined> {
  const { documents, logs } = await storeOf(workspace);
  const isTalk = dirname(path) === SESSIONS_FOLDER || dirname(path) === `${SESSIONS_FOLDER}/${ARCHIVE_FOLDER}`;
  return isTalk ? logs.readLines(path) : documents.read(path);
}
