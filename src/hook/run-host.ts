import { randomBytes, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { z } from "zod";
import { buildMemoryPrompt } from "../door/memory-prompt.ts";
import { describeError, MemoryError } from "../errors.ts";
import { hooksPath, locksPath } from "../layout.ts";
import { tryLock } from "../store/files/lock.ts";
import type { Lock } from "../store/files/lock.ts";
import { openMemory } from "../memory.ts";
import type { Memory } from "../memory.ts";
import type { CalledHook } from "./called-hook.ts";
import { recordFailure } from "./failures.ts";
import { promptOf, readInput, sessionOf } from "./hook-input.ts";
import type { HookInput } from "./hook-input.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { listWaiting, readAddress, readIfThere, removeAddress, writeAddress } from "./hooks-folder.ts";
import { keepStart, startSettings } from "./kept-start.ts";
import { momentOf } from "./moment.ts";
import { recallForPrompt } from "./recall-for-prompt.ts";
import { setReserve } from "./set-reserve.ts";
import { takeWords } from "./take-words.ts";
import { createQueue } from "../queue.ts";

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
const AGAIN_MS = 20_000;

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
  setReserve(workspace);
  void work.look();
  // What the first question needs is loaded before it is asked.
  void memory.search("what is known", { limit: 1 }).catch((error: unknown) => note(memory, "search", error));
  let again = performance.now() + AGAIN_MS;
  const watch = setInterval(() => {
    if (readAddress(workspace)?.pid !== process.pid) return left.resolve("gone");
    if (performance.now() < again) return;
    // What could not be stored a while ago may be now: the disk has room again, the lock is free.
    again = performance.now() + AGAIN_MS;
    setReserve(workspace);
    if (listWaiting(workspace).length > 0) void work.look();
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
  const queue = createQueue();
  const open = new Set<string>();
  const told = new Set<string>();
  const then = (work: () => Promise<void>, about: string): Promise<void> =>
    queue.add(work).catch((error: unknown) => note(memory, about, error));
  const look = () => then(() => takeWaiting(memory, open, told), "waiting");
  return {
    async ask(call) {
      // Whoever asked is told nothing at once, rather than to wait for an answer that does not come.
      try {
        const input = readInput(call);
        const key = sessionOf(call, input);
        if (momentOf(call.event) === "start") return await startOf(memory, program, key);
        return await recallForPrompt(memory, key, promptOf(input));
      } catch (error) {
        note(memory, call.event, error, call);
        return "";
      } finally {
        // The words of the message were put by before the question.
        void look();
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
  return keepStart(memory.workspace, program, startSettings(memory.config), () => buildMemoryPrompt(memory, key));
}

/**
 * Takes up what was put by, oldest first. What says nothing that can be read is put on record and let go; words that
 * cannot be stored now stay, with everything behind them in their session, and are tried again at the next look.
 */
async function takeWaiting(memory: Memory, open: Set<string>, told: Set<string>): Promise<void> {
  const held = new Set<string>();
  for (const name of listWaiting(memory.workspace)) {
    const path = hooksPath(memory.workspace, "waiting", name);
    const heard = await memory.hear();
    const text = readIfThere(path);
    // Forgotten since it was listed.
    if (text === undefined) continue;
    const call = Call.safeParse(parseIfJson(text)).data;
    const input = call && tryInput(memory, call);
    if (call && input) {
      const key = sessionOf(call, input);
      if (held.has(key)) continue;
      try {
        await takeWords(memory, call, input, heard);
      } catch (error) {
        const failure = `${name} ${describeError(error)}`;
        if (!told.has(failure)) note(memory, call.event, error, call);
        told.add(failure);
        if (!isHopeless(error)) {
          held.add(key);
          continue;
        }
      }
      await endTurn(memory, call, key, open).catch((error: unknown) => note(memory, call.event, error, call));
    }
    rmSync(path, { force: true });
  }
}

/** Nothing will ever make this a message. */
function isHopeless(error: unknown): boolean {
  return error instanceof MemoryError && (error.code === "MESSAGE_INVALID" || error.code === "KEY_INVALID");
}

function tryInput(memory: Memory, call: CalledHook): HookInput | undefined {
  try {
    return readInput(call);
  } catch (error) {
    note(memory, call.event, error, call);
    return undefined;
  }
}

/** What a moment asks for once its words are stored; the digest of what failed comes with the next one. */
async function endTurn(memory: Memory, call: CalledHook, key: string, open: Set<string>): Promise<void> {
  open.add(key);
  const moment = momentOf(call.event);
  if (moment !== "compact" && moment !== "end") return;
  if (!memory.hasSession(key)) return;
  await digest(memory, key);
  if (moment === "end") open.delete(key);
  // A conversation of OpenClaw goes on under its key, and the model sees nothing of what was before its end.
  if (moment === "compact" || call.client === "openclaw") {
    const session = await memory.session(key);
    // It may have been forgotten while it was digested.
    if (session.length > 0) await session.setMetadata({ compacted_at: session.length });
  }
}

async function digest(memory: Memory, key: string): Promise<void> {
  await memory.consolidate(key, { all: true, trigger: "hook" });
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
