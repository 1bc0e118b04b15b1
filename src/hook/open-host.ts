import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { z } from "zod";
import { buildMemoryPrompt } from "../door/memory-prompt.ts";
import { describeError } from "../errors.ts";
import { hooksPath, locksPath } from "../layout.ts";
import { tryLock } from "../store/files/lock.ts";
import type { Lock } from "../store/files/lock.ts";
import { openMemory } from "../memory.ts";
import type { Memory } from "../memory.ts";
import type { CalledHook } from "./called-hook.ts";
import { recordFailure } from "./failures.ts";
import { carriedWords, promptOf, readInput, sessionOf } from "./hook-input.ts";
import { listWaiting, readAddress, removeAddress, writeAddress } from "./hooks-folder.ts";
import { keepStart } from "./kept-start.ts";
import { momentOf } from "./moment.ts";
import { recallForPrompt } from "./recall-for-prompt.ts";
import { takeWords } from "./take-words.ts";

const Call = z.object({ client: z.string(), event: z.string(), at: z.string(), input: z.string() });
const Request = z.discriminatedUnion("kind", [
  z.object({ token: z.string(), kind: z.literal("ask"), call: Call }),
  z.object({ token: z.string(), kind: z.literal("look") }),
  z.object({ token: z.string(), kind: z.literal("leave") }),
]);

/** How a process that stays is opened. */
export interface HostOptions {
  workspace: string;
  program: string;
  /** It leaves when nobody has asked for this long. */
  idleMs: number;
}

// Another one that is told to leave finishes what it is at.
const LEAVE_WAIT_MS = 10_000;
// Whoever deletes the folder, or takes the place, need not say so.
const LOOK_EVERY_MS = 2_000;

/** Stays and answers the hooks of a workspace until nobody asks any more; at once where another one does so. */
export async function runHost({ workspace, program, idleMs }: HostOptions): Promise<void> {
  const lock = await takePlace(workspace, program);
  if (!lock) return;
  const memory = await openMemory({ workspace, isLongRunning: true });
  const address = { token: randomBytes(24).toString("hex"), pid: process.pid, program };
  const work = createWork(memory, program);
  const left = Promise.withResolvers<"asked" | "gone">();
  const idle = setTimeout(() => left.resolve("asked"), idleMs);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => left.resolve("asked"));
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    idle.refresh();
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    void answer(socket, address.token, work, () => left.resolve("asked"));
  });
  const port = await listen(server);
  writeAddress(workspace, { ...address, port });
  void work.look();
  // What the first question needs is loaded before it is asked.
  void memory.search("what is known", { limit: 1 }).catch((error: unknown) => note(memory, "search", error));
  const watch = setInterval(() => {
    if (readAddress(workspace)?.pid !== process.pid) left.resolve("gone");
  }, LOOK_EVERY_MS);
  const why = await left.promise;
  clearTimeout(idle);
  clearInterval(watch);
  server.close();
  removeAddress(workspace, process.pid);
  // Where the folder was deleted nothing is written: it would come back.
  if (why === "asked") await work.finish();
  await memory.close({ waitMs: 60_000 });
  lock.release();
}

/** Waits for one of another program to leave; where one of this program is there, there is nothing to do. */
async function takePlace(workspace: string, program: string): Promise<Lock | undefined> {
  const end = performance.now() + LEAVE_WAIT_MS;
  for (;;) {
    const lock = tryLock(locksPath(workspace, "hooks"));
    if (lock || readAddress(workspace)?.program === program || performance.now() > end) return lock;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What the process does, one thing after the other; questions do not wait for it. */
interface Work {
  ask(call: CalledHook): Promise<string>;
  look(): Promise<void>;
  finish(): Promise<void>;
}

function createWork(memory: Memory, program: string): Work {
  let queue: Promise<void> = Promise.resolve();
  const open = new Set<string>();
  const then = (work: () => Promise<void>, about: string): Promise<void> => {
    queue = queue.then(work).catch((error: unknown) => note(memory, about, error));
    return queue;
  };
  const look = () => then(() => takeWaiting(memory, open), "waiting");
  return {
    async ask(call) {
      // Whoever asked is told nothing at once, rather than to wait for an answer that does not come.
      try {
        const input = readInput(call);
        const key = sessionOf(call, input);
        if (momentOf(call.event) === "start") return await startOf(memory, program, key);
        if (carriedWords(call, input).length > 0)
          void then(async () => void (await takeWords(memory, call, input)), call.event);
        return await recallForPrompt(memory, key, promptOf(input));
      } catch (error) {
        note(memory, call.event, error, call);
        return "";
      }
    },
    look,
    async finish() {
      await look();
      // Clients that were closed the hard way never said that they ended.
      for (const key of open) await then(() => digest(memory, key), "SessionEnd");
      await then(async () => void (await startOf(memory, program, "hook:start")), "SessionStart");
    },
  };
}

/** What a session is given at its start; kept for one that begins when nobody is here. */
function startOf(memory: Memory, program: string, key: string): Promise<string> {
  const render = () => buildMemoryPrompt(memory, key);
  return memory.config.memory.scope === "workspace" ? keepStart(memory.workspace, program, render) : render();
}

/** Takes up what was put by, oldest first; what cannot be read at all is put on record and let go. */
async function takeWaiting(memory: Memory, open: Set<string>): Promise<void> {
  for (const name of listWaiting(memory.workspace)) {
    const path = hooksPath(memory.workspace, "waiting", name);
    const call = Call.safeParse(parse(readFileSync(path, "utf8"))).data;
    if (call) await takeCall(memory, call, open).catch((error: unknown) => note(memory, call.event, error, call));
    rmSync(path, { force: true });
  }
}

async function takeCall(memory: Memory, call: CalledHook, open: Set<string>): Promise<void> {
  const input = readInput(call);
  const key = sessionOf(call, input);
  await takeWords(memory, call, input);
  open.add(key);
  const moment = momentOf(call.event);
  if (moment !== "compact" && moment !== "end") return;
  if (!memory.hasSession(key)) return;
  await digest(memory, key);
  if (moment === "end") open.delete(key);
  if (moment === "compact") {
    const session = await memory.session(key);
    await session.setMetadata({ compacted_at: session.length });
  }
}

async function digest(memory: Memory, key: string): Promise<void> {
  await memory.consolidate(key, { all: true, cause: "hook" });
}

async function answer(socket: Socket, token: string, work: Work, leave: () => void): Promise<void> {
  try {
    const request = Request.parse(JSON.parse(await readText(socket)));
    if (!isSame(request.token, token)) return void socket.destroy();
    if (request.kind === "leave") leave();
    if (request.kind === "look") void work.look();
    const { kind } = request;
    socket.end(`${kind === "ask" ? await work.ask(request.call) : ""}\n`);
  } catch {
    // Whoever asked gets no answer, goes on without one, and puts that on record.
    socket.destroy();
  }
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}

function note({ workspace }: Memory, event: string, error: unknown, call?: CalledHook): void {
  const at = call?.at ?? new Date().toISOString();
  recordFailure(workspace, { at, client: call?.client ?? "", event, reason: describeError(error) });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
