// @module-tag postgres
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { CRASH_PLACES } from "./crash-places.ts";

const JOBS = Number(process.env["TIDEMARK_JOBS"] ?? 40);
const SESSIONS = JOBS / 2;
const WORKERS = 2;

/** Leaves two jobs a session, a digest and a note, without working on them. */
async function leaveJobs(workspace: string): Promise<void> {
  const memory = await openMemory({ workspace, passive: true });
  for (let number = 0; number < SESSIONS; number++) {
    const session = await memory.session(`cli:${number}`);
    await session.appendAll(
      [0, 1, 2].flatMap((turn) => [
        { role: "user" as const, content: `Turn ${turn} about harbour ${number} and its boats.` },
        { role: "assistant" as const, content: `Answer ${turn}.` },
      ]),
    );
    await memory.startNew(`cli:${number}`);
  }
  expect(await memory.queue.listJobs()).toHaveLength(JOBS);
  await memory.close();
}

/** Runs one worker; it is killed at a random instant unless the queue is empty before. */
async function workAndDie(workspace: string): Promise<"killed" | "empty"> {
  const script = new URL("queue-worker.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, workspace], { stdio: ["ignore", "pipe", "inherit"] });
  let timer: NodeJS.Timeout | undefined;
  // Counted in jobs first: a life by the clock alone would end too early on a busy machine, and never on a fast one.
  let left = Math.floor(Math.random() * 6);
  createInterface({ input: child.stdout }).on("line", () => {
    if (left-- === 0) timer = setTimeout(() => child.kill("SIGKILL"), Math.random() * 40);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(timer);
  expect([0, "SIGKILL"]).toContain(code ?? signal);
  return code === 0 ? "empty" : "killed";
}

const times = (text: string, pattern: RegExp) =>
  Array.from({ length: SESSIONS }, (_, number) => number).filter(
    (number) => [...text.matchAll(pattern)].filter(([, found]) => Number(found) === number).length !== 1,
  );

describe.each(CRASH_PLACES)("a queue in $name whose workers are killed", ({ create }) => {
  it(`does each of ${JOBS} jobs exactly once, with ${WORKERS} processes at a time`, async () => {
    const workspace = create();
    await leaveJobs(workspace);
    let kills = 0;
    await Promise.all(
      Array.from({ length: WORKERS }, async () => {
        // A job that could not be done would keep the queue from ever being empty.
        while ((await workAndDie(workspace)) === "killed") expect(++kills).toBeLessThan(50 + JOBS);
      }),
    );
    const memory = await openMemory({ workspace, passive: true });
    const { documents } = memory.store;
    const names = (await documents.list("memory")).map(({ path }) => path.slice("memory/".length));
    const texts = new Map<string, string>();
    for (const name of names) texts.set(name, (await documents.read(`memory/${name}`)) ?? "");
    const read = (name: string) => texts.get(name) ?? "";
    const diary = read("HISTORY.md");
    expect(times(diary, /Digest of harbour (\d+)\./g)).toEqual([]);
    expect(diary.split("\n\n").filter(Boolean)).toHaveLength(SESSIONS);
    const notes = names.filter((name) => name.includes("same-slug"));
    expect(notes).toHaveLength(SESSIONS);
    expect(times(notes.map(read).join("\n"), /Note of harbour (\d+)\./g)).toEqual([]);
    expect(notes.every((name) => read(name).startsWith("# Same slug\n\n- Session: cli:"))).toBe(true);
    const facts = ["MEMORY.md", ...names.filter((name) => /^\d{4}-\d{2}-\d{2}\.md$/.test(name))].map(read).join("\n");
    expect(times(facts, /Code x(\d+)x opens/g)).toEqual([]);
    const runs = await memory.history.list({ last: 100_000 });
    const digests = runs.filter(({ trigger }) => trigger === "new");
    const written = runs.filter(({ cause }) => cause === "note");
    expect([digests.length, written.length]).toEqual([SESSIONS, SESSIONS]);
    expect(await memory.queue.listJobs()).toEqual([]);
    expect(await memory.history.scopesWithTail()).toEqual([]);
    await memory.close();
    expect(kills).toBeGreaterThan(0);
    console.log(`${JOBS} jobs, ${kills} kills`);
  }, 1_800_000);
});
