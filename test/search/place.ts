import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Embedder } from "../../src/model/embedder.ts";
import { recall } from "../../src/recall/recall.ts";
import type { RecallOptions } from "../../src/recall/recall.ts";
import { openSearch } from "../../src/store/files/index/open-search.ts";
import type { SearchOptions } from "../../src/store/files/index/open-search.ts";
import type { Search } from "../../src/search/search.ts";
import { encodeKey } from "../../src/session/file-name.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** A workspace with files to be found. */
export interface Place {
  readonly workspace: string;
  readonly indexPath: string;
  write(path: string, text: string): void;
  say(key: string, messages: readonly Said[]): void;
  open(options?: Partial<SearchOptions>): Promise<Search>;
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

/** Makes an empty workspace that goes with the test. */
export function makePlace(): Place {
  const workspace = temporaryFolder();
  const indexPath = join(workspace, ".tidemark", "index.sqlite");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  return {
    workspace,
    indexPath,
    write,
    say(key, messages) {
      const path = join(workspace, "sessions", `${encodeKey(key)}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      const lines = messages.map((message) => JSON.stringify({ role: "user", ...message }));
      appendFileSync(path, `${lines.join("\n")}\n`);
    },
    async open(options = {}) {
      const search = await openSearch({ workspace, indexPath, timezone: "UTC", ...options });
      onTestFinished(() => search.close());
      return search;
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
