import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Embedder } from "../../src/model/embedder.ts";
import { recall } from "../../src/recall/recall.ts";
import type { RecallOptions } from "../../src/recall/recall.ts";
import { openFolderSearch, openStoreSearch } from "../support/folder-search.ts";
import type { FolderSearchOptions } from "../support/folder-search.ts";
import type { Search } from "../../src/search/search.ts";
import { encodeKey } from "../../src/session/file-name.ts";
import { keepTalk, readKept, removeKept, storeOf, testStore, writeKept } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** A workspace with files to be found. */
export interface Place {
  readonly workspace: string;
  readonly indexPath: string;
  write(path: string, text: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  say(key: string, messages: readonly Said[]): void;
  open(options?: Partial<FolderSearchOptions>): Promise<Search>;
  /** All of it is there for others, too. */
  ready(): Promise<void>;
}

/** One message of a session file. */
export interface Said {
  role?: string;
  content: unknown;
  id?: string;
  name?: string;
  timestamp?: string;
  context?: string;
}

/** The line of what is said first: as rows a session begins with its metadata. */
export const FIRST_LINE = testStore === undefined ? 1 : 2;

/** Makes an empty workspace that goes with the test. */
export function makePlace(): Place {
  const workspace = temporaryFolder();
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  // On a database nothing is there at once: what was asked for is done in its order.
  let written = Promise.resolve();
  const later = (work: () => Promise<void>): void => {
    written = written.then(work);
  };
  const inFolder = (path: string) => join(workspace, path);
  const write = (path: string, text: string) => {
    if (testStore !== undefined) {
      later(() => writeKept(workspace, path, text));
      return;
    }
    mkdirSync(dirname(inFolder(path)), { recursive: true });
    writeFileSync(inFolder(path), text);
  };
  return {
    workspace,
    indexPath,
    write,
    ready: () => written,
    say(key, messages) {
      const said = messages.map((message) => ({ role: "user", ...message }));
      if (testStore !== undefined) {
        later(() => keepTalk(workspace, key, said));
        return;
      }
      const path = inFolder(`sessions/${encodeKey(key)}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, `${said.map((message) => JSON.stringify(message)).join("\n")}\n`);
    },
    rename(from, to) {
      if (testStore === undefined) renameSync(inFolder(from), inFolder(to));
      else
        later(async () => {
          await writeKept(workspace, to, await readKept(workspace, from));
          await removeKept(workspace, from);
        });
    },
    remove(path) {
      if (testStore === undefined) rmSync(inFolder(path), { force: true });
      else later(() => removeKept(workspace, path));
    },
    async open(options = {}) {
      const setup = { timezone: "UTC", ...options };
      const search = await (testStore === undefined
        ? openFolderSearch({ workspace, indexPath, ...setup })
        : openStoreSearch(await storeOf(workspace), setup));
      onTestFinished(() => search.close());
      return {
        ...search,
        sync: async (how) => written.then(() => search.sync(how)),
        rebuild: async (how) => written.then(() => search.rebuild(how)),
      };
    },
  };
}

/** Asks at a fixed time. */
export function ask(search: Search, query: string, options: Partial<RecallOptions> = {}) {
  return recall(search, query, { now: new Date("2026-11-15T12:00:00Z"), timezone: "UTC", ...options });
}

/** The texts of what is found. */
export async function textsFor(search: Search, query: string, options: Partial<RecallOptions> = {}) {
  return (await ask(search, query, options)).results.map((hit) => hit.text);
}

/** An embedder that counts what it embeds; words that it is told to be alike get the same direction. */
export function countingEmbedder(
  id = "test/counting",
  alike: Record<string, string> = {},
  dimensions = 64,
): Embedder & { texts: string[] } {
  const texts: string[] = [];
  return {
    id,
    dimensions,
    texts,
    async embed(batch, options) {
      if (options?.kind !== "query") texts.push(...batch);
      return batch.map((text) => embedWords(text, alike, dimensions));
    },
    close: async () => undefined,
  };
}

function embedWords(text: string, alike: Record<string, string>, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const raw of text.toLowerCase().match(/\p{L}+/gu) ?? ["-"]) {
    const word = alike[raw] ?? raw;
    let state = [...word].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5) | 1;
    for (let index = 0; index < dimensions; index++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      vector[index] = (vector[index] ?? 0) + ((state & 1) === 0 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
