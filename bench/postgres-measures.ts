import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as z from "zod";
import type { Memory } from "../src/index.ts";
import { createTextMaker } from "./search-text.ts";

/** How long something took, over many times. */
export interface Times {
  p50: number;
  p95: number;
  count: number;
}

const NOTE_CHARACTERS = 3600;
const FIRST_NOTES = 20;
const WRITERS = 8;
// So that what a turn takes is measured, and not how they stand in line.
const PAUSE_MS = 100;
const WARM_TURNS = 5;

/** Fills a memory with notes until it has so many passages, all of them indexed; how many, and how long that took. */
export async function fillWithPassages(memory: Memory, wanted: number): Promise<{ passages: number; ms: number }> {
  const maker = createTextMaker(7);
  const begun = performance.now();
  let written = 0;
  for (let passages = 0; ;) {
    // The first few tell how many passages a note has.
    const perNote = passages / written;
    const missing = written === 0 ? FIRST_NOTES : Math.max(1, Math.ceil((wanted - passages) / perNote));
    const notes = Array.from({ length: missing }, (_, index) => ({
      path: `docs/bench/note-${written + index}.md`,
      text: maker.note(`Note ${written + index}`, NOTE_CHARACTERS),
    }));
    await inParallel(notes, WRITERS, ({ path, text }) => memory.store.documents.write(path, text));
    written += missing;
    passages = (await memory.index()).size.passages;
    if (passages >= wanted * 0.98) return { passages, ms: performance.now() - begun };
  }
}

/** What questions cost: how long each took, and the processor time of our process and of the database for one. */
export interface Asked extends Times {
  cpuMs: number;
  databaseMs: number;
}

/**
 * Asks the same questions, by words and meaning, ranked as for anyone, of several stores in turn, twenty at a time, so
 * that all of them meet the same load, each by a process of its own; the first few warm up. What the database uses counts for the first
 * store, the others have none.
 */
export async function measureSearch(
  places: readonly string[],
  questions: number,
  databaseMs: () => number,
): Promise<Asked[]> {
  const maker = createTextMaker(99);
  const asked = places.map((place) => ({ ask: startAsker(place), times: new Array<number>(), cpuMs: 0 }));
  const askAll = async (count: number, isCounted: boolean): Promise<void> => {
    const block = Array.from({ length: count }, () => maker.question());
    for (const each of asked)
      for (const question of block) {
        const { ms, cpuMs, found } = await each.ask.question(question);
        if (found === 0) throw new Error("nothing was found");
        if (!isCounted) continue;
        each.times.push(ms);
        each.cpuMs += cpuMs;
      }
  };
  await askAll(WARM_QUESTIONS, false);
  const before = databaseMs();
  for (let done = 0; done < questions; done += BLOCK) await askAll(Math.min(BLOCK, questions - done), true);
  const ofDatabase = (databaseMs() - before) / questions;
  await Promise.all(asked.map(({ ask }) => ask.end()));
  return asked.map(({ times, cpuMs }, index) => ({
    ...timesOf(times),
    cpuMs: cpuMs / questions,
    databaseMs: index === 0 ? ofDatabase : 0,
  }));
}

const Answered = z.object({ ms: z.number(), cpuMs: z.number(), found: z.number(), isWhole: z.boolean() });

/** A process that asks one store. */
export interface Asker {
  readonly ready: Promise<unknown>;
  question(text: string): Promise<z.infer<typeof Answered>>;
  end(): Promise<void>;
}

/** Starts such a process. */
export function startAsker(place: string): Asker {
  const child = fork(join(import.meta.dirname, "postgres-asker.ts"), [place]);
  child.once("exit", (code) => code && process.exit(code));
  const ready = once(child, "message");
  return {
    ready,
    async question(text) {
      await ready;
      child.send(text);
      const [answer] = await once(child, "message");
      return Answered.parse(answer);
    },
    async end() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

const WARM_QUESTIONS = 40;
// Alone each question would find the processor cold from the other store's.
const BLOCK = 20;

/** Messages of one session, one after the other: each is on the disk before the next. */
export async function measureAppend(memory: Memory, count: number): Promise<Times> {
  const session = await memory.session("bench:append");
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const begun = performance.now();
    await session.append({ role: "user", content: `message ${turn} with a few words in it` });
    times.push(performance.now() - begun);
  }
  return timesOf(times);
}

/** Messages a second over so many sessions at once. */
export async function measureManyAppends(memory: Memory, sessions: number, each: number): Promise<number> {
  const open = await Promise.all(Array.from({ length: sessions }, (_, index) => memory.session(`bench:many-${index}`)));
  const begun = performance.now();
  await Promise.all(
    open.map(async (session) => {
      for (let turn = 0; turn < each; turn++) await session.append({ role: "user", content: `message ${turn}` });
    }),
  );
  return (sessions * each) / ((performance.now() - begun) / 1000);
}

/** Clients who talk with short pauses for a while: what a server takes of its own of each turn, and turns a second. */
export async function measureTurns(
  urls: readonly string[],
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Times & { perSecond: number }> {
  const talks = Array.from({ length: clients }, (_, who) => createTalk(urls[who % urls.length] ?? "", who));
  // What is loaded and compiled with the first turns is paid once.
  await Promise.all(
    talks.map(async (say) => {
      for (let turn = 0; turn < WARM_TURNS; turn++) await say();
    }),
  );
  const own: number[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    talks.map(async (say) => {
      while (performance.now() < end) {
        own.push(await say());
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }),
  );
  return { ...timesOf(own), perSecond: own.length / seconds };
}

/** A client with a history of its own: says something, and tells what the server took, by its own clock. */
function createTalk(url: string, who: number): () => Promise<number> {
  const history: { role: string; content: string }[] = [];
  const session = `bench:${process.pid}-${performance.now()}-${who}`;
  return async () => {
    history.push({ role: "user", content: `Client ${who} says something new, number ${history.length}` });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-tidemark-session": session },
      body: JSON.stringify({ messages: history }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    const [, answer = ""] = /"content":"([^"]*)"/.exec(text) ?? [];
    history.push({ role: "assistant", content: answer });
    const [, ms = ""] = /tidemark;dur=([\d.]+)/.exec(response.headers.get("server-timing") ?? "") ?? [];
    return Number(ms);
  };
}

async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), count: sorted.length };
}
