import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openMemory } from "../../src/index.ts";

/** What was acknowledged, and by hand saved, in a workspace. */
export interface Acknowledged {
  said: readonly string[];
  facts: readonly string[];
  undone: readonly string[];
  forgotten: readonly string[];
  lines: readonly string[];
}

/** Everything that was acknowledged is there once; what was forgotten or undone is nowhere. How much was digested. */
export async function lookAtAll(workspace: string, { said, facts, undone, forgotten, lines }: Acknowledged) {
  const memory = await openMemory({
    workspace,
    config: {
      agents: { defaults: { memoryWindow: 0, memoryBudgetTokens: 1_000_000, contextWindowTokens: 4_000_000 } },
      tools: { sessionMemory: { enabled: false } },
    },
  });
  // Given up after thirty of those who began it were killed, as it should be; it is tried again as doctor --fix does.
  for (const { id, state } of await memory.queue.listJobs())
    if (state === "dead") await memory.queue.putBackJob(id, new Date(0).toISOString());
  await memory.settle();
  const logs = listLogs(join(workspace, "sessions")).map(readLog);
  const stored = logs.flatMap((log) => log.said).filter((words) => !/^\[forgotten\]$|^The word is /.test(words));
  const isStored = new Set(stored);
  expect(stored.toSorted(), "messages doubled").toEqual([...isStored].toSorted());
  expect(
    said.filter((words) => !isStored.has(words)),
    "messages lost",
  ).toEqual([]);
  const diary = join(workspace, "memory/HISTORY.md");
  const entries = existsSync(diary) ? readFileSync(diary, "utf8") : "";
  const covered = [...entries.matchAll(/covers ([\w,-]+)\./g)].flatMap(([, list = ""]) => list.split(","));
  const isCovered = new Set(covered);
  expect(covered.toSorted(), "messages digested twice").toEqual([...isCovered].toSorted());
  for (const log of logs)
    expect(
      log.said.slice(log.cursor).filter((words) => isCovered.has(words)),
      "cursor in the wrong log",
    ).toEqual([]);
  // What lies before a cursor has an entry: a run of its own stands for each stretch.
  const runs = await memory.history.list({ last: 100_000 });
  const digested = runs.filter((run) => run.outcome !== "refused").reduce((sum, run) => sum + run.to - run.from, 0);
  expect(digested, "messages passed by cursors").toBe(logs.reduce((sum, log) => sum + log.cursor, 0));
  const text = await memory.readMemory();
  const units = text.match(/^- Unit x\S+x/gm) ?? [];
  expect(new Set(units).size, "facts of digests, each once").toBe(units.length);
  const timesOf = (words: string) => text.split(words).length - 1;
  // What a save from an old window left out waits for a person.
  const waiting = (await memory.review()).flatMap(({ items }) => items.map(({ fact }) => `${fact}\n`)).join("");
  const lost = facts.filter((words) => timesOf(`Thing ${words} `) === 0 && !waiting.includes(`Thing ${words} `));
  const told = await Promise.all(lost.map((words) => memory.trust.why(`Thing ${words} was remembered`)));
  expect(
    told.map((stories) => stories.map(({ fact, history }) => ({ fact, history }))),
    "facts lost",
  ).toEqual([]);
  expect(
    lines.filter((line) => timesOf(`${line}\n`) === 0 && !waiting.includes(line.replace(/^- /, ""))),
    "edits lost",
  ).toEqual([]);
  expect(
    facts.filter((words) => timesOf(`Thing ${words} `) > 1),
    "facts doubled",
  ).toEqual([]);
  expect(
    lines.filter((line) => timesOf(`${line}\n`) > 1),
    "edits doubled",
  ).toEqual([]);
  expect(
    undone.filter((words) => text.includes(words)),
    "facts that came back after their undo",
  ).toEqual([]);
  expect((await memory.trust.ledger()).lost, "the ledger").toEqual([]);
  expect(await memory.history.scopesWithTail(), "applies that wait").toEqual([]);
  expect(await memory.queue.listQuarantined(), "applies set aside").toEqual([]);
  expect(
    (await memory.queue.listJobs()).filter(({ kind }) => kind !== "tidy"),
    "jobs that wait",
  ).toEqual([]);
  await memory.close();
  expect(filesHolding(workspace, forgotten), "forgotten words that are still there").toEqual([]);
  return covered.length;
}

/** Every log once: killed in the middle of /new, one file has two names. */
function listLogs(sessions: string): string[] {
  const folders = [sessions, join(sessions, "archive")].filter((folder) => existsSync(folder));
  const paths = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name)),
  );
  return [...new Map(paths.map((path) => [statSync(path).ino, path])).values()];
}

/** What a log says, and how far it counts as digested. */
function readLog(path: string): { said: string[]; cursor: number } {
  const values = readFileSync(path, "utf8").split("\n").flatMap(parseLine);
  return {
    said: values.flatMap(({ content }) =>
      content === undefined ? [] : [/^say (.+)\.$/.exec(content)?.[1] ?? content],
    ),
    cursor: values.findLast((value) => value.last_consolidated !== undefined)?.last_consolidated ?? 0,
  };
}

/** Half a line is what a write leaves in the middle of which its process was killed. */
function parseLine(line: string): { content?: string; last_consolidated?: number }[] {
  try {
    return [JSON.parse(line) as { content?: string; last_consolidated?: number }];
  } catch {
    return [];
  }
}

/** Which of the texts stand in which files below a folder, as it is at this moment. */
export function filesHolding(folder: string, texts: readonly string[]): [string, string][] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.flatMap((name) => {
    const path = join(folder, name);
    const bytes = readIfFile(path);
    return texts.filter((text) => bytes.includes(text)).map((text): [string, string] => [text, name]);
  });
}

function readIfFile(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, "latin1") : "";
  } catch (error) {
    // Others come and go meanwhile.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
