import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ConfigInput, Memory } from "../../src/index.ts";
import { readKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { digestModel } from "./digest-model.ts";
import type { Saved } from "./digest-model.ts";

export { digestModel, presentMemory } from "./digest-model.ts";
export type { Saved } from "./digest-model.ts";

/** A workspace with a memory in it that a scripted model digests. */
export async function startPlace(script: (shown: string, index: number) => Saved, config: ConfigInput = {}) {
  const workspace = temporaryFolder();
  let minute = 0;
  const memory = await open({
    workspace,
    config,
    model: digestModel(script),
    now: () => new Date(Date.UTC(2026, 10, 15, 9, minute++)),
  });
  return { workspace, memory, file: (name: string) => readKept(workspace, `memory/${name}`) };
}

/** Says something and digests it. */
export async function sayAndDigest(memory: Memory, words: string, key = "cli:a") {
  const session = await memory.session(key);
  const message = await session.append({ role: "user", content: words });
  await session.append({ role: "assistant", content: "Noted." });
  return { outcome: await memory.consolidate(key, { all: true }), message: message?.id ?? "" };
}

/** Every file under a folder. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** The files under a folder that hold these bytes, in any case of letters. */
export function filesHolding(folder: string, text: string): string[] {
  const wanted = Buffer.from(text).toString("latin1").toLowerCase();
  return filesUnder(folder).filter((path) => readFileSync(path).toString("latin1").toLowerCase().includes(wanted));
}
