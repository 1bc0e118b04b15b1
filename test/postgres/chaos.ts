import type { Memory } from "../../src/index.ts";
import { openMemory } from "../../src/index.ts";
import type { Job } from "../../src/store/queue.ts";
import { checkDigests, checkTalk } from "./chaos-check.ts";
import { endAgainAndAgain, talkInTurns, writeTogether } from "./chaos-clients.ts";
import type { ClientBook } from "./chaos-clients.ts";
import { startFleet } from "./fleet.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { startPostgres } from "./postgres-server.ts";
import { startEchoModel } from "./scripted-model.ts";

/** How bad the days are. */
export interface ChaosPlan {
  seconds: number;
  servers: number;
  workers: number;
  clients: number;
  killEveryMs: number;
  restarts: number;
  /** How often one of them stands still, and for how long. */
  stops: number;
  stopMs: number;
  /** By how many days the clock of each is wrong. */
  clocks: readonly number[];
  /** How much must have been acknowledged for it to prove anything; by itself more than there are clients. */
  least?: number;
}

/** What is asked of the database: where it is, and that it can be restarted. */
export type Restartable = Pick<PostgresServer, "url" | "restart">;

const PLAN: ChaosPlan = {
  seconds: 60,
  servers: 3,
  workers: 2,
  clients: 60,
  killEveryMs: 2000,
  restarts: 2,
  stops: 0,
  stopMs: 0,
  clocks: [],
};
// What the dead left is taken over by those that live.
const SETTLE_MS = 3000;
// A killed worker is known to be dead within seconds, and its job is free at the latest when its lease has run out.
const LEASE_MS = 75_000;

/**
 * Servers and workers over one database, clients who talk, one process killed every two seconds, the database restarted
 * in between; then what was acknowledged is compared with what is there. True when nothing is lost, twice or out of order.
 */
export async function runChaos(postgres: Restartable, given: Partial<ChaosPlan> = {}): Promise<boolean> {
  const plan = { ...PLAN, ...given };
  const lease = plan.stops > 0 ? "&lock_lease=2" : "";
  const store = `${postgres.url}?workspace=chaos-${process.pid}-${Date.now()}${lease}`;
  const model = await startEchoModel();
  await writeConfig(store, model.config);
  const fleet = await startFleet(store, plan);
  await fleet.untilReady();
  const over = new AbortController();
  const killing = plan.killEveryMs > 0 ? setInterval(() => fleet.killOne(), plan.killEveryMs) : undefined;
  const clients = Array.from({ length: plan.clients }, (_, who) => clientOf(who)(who, fleet.urls, over.signal));
  const stopping = (async () => {
    for (let stop = 0; stop < plan.stops; stop++) {
      await pause(500);
      await fleet.stopOne(plan.stopMs);
    }
  })();
  for (let restart = 0; restart <= plan.restarts; restart++) {
    await pause((plan.seconds * 1000) / (plan.restarts + 1));
    if (restart < plan.restarts) await postgres.restart();
  }
  clearInterval(killing);
  await stopping;
  over.abort();
  const books = await Promise.all(clients);
  await fleet.untilReady();
  await pause(SETTLE_MS);
  const codes = await fleet.stop();
  const memory = await openMemory({ store });
  const jobs = await settleWhole(memory);
  const talk = await checkTalk(memory, books, plan.clocks.length === 0);
  const digests = await checkDigests(memory, [...new Set(books.map(({ session }) => session))]);
  await memory.close();
  model.close();
  const acknowledged = books.reduce((sum, book) => sum + book.acknowledged.length + book.answers.length, 0);
  const figures = {
    acknowledged,
    tries: books.reduce((sum, { tries }) => sum + tries, 0),
    idleClients: books.filter((book) => book.acknowledged.length === 0).length,
    slowestMs: Math.round(Math.max(...books.map(({ slowestMs }) => slowestMs))),
    kills: fleet.kills,
    restarts: plan.restarts,
    stops: plan.stops,
    digests: digests.runs,
    jobsLeft: jobs.length,
    lost: talk.lost.length + digests.lost.length,
    doubled: talk.doubled.length + digests.doubled.length,
    disordered: talk.disordered.length + digests.disordered.length,
    exitCodes: codes,
  };
  console.log(`chaos: ${JSON.stringify(figures)}`);
  const wrong = [talk, digests].flatMap(({ lost, doubled, disordered }) => [...lost, ...doubled, ...disordered]);
  if (wrong.length > 0) console.log([...wrong.slice(0, 40), "", ...fleet.said().slice(-40)].join("\n"));
  if (jobs.length > 0) console.log(jobs.slice(0, 10));
  const isOver = jobs.length === 0 && codes.every((code) => code === 0);
  return wrong.length === 0 && isOver && acknowledged > (plan.least ?? plan.clients);
}

/** Of six clients four talk in turns, one writes with another, and one ends its sessions; the last two by twos. */
function clientOf(who: number): (who: number, urls: readonly string[], over: AbortSignal) => Promise<ClientBook> {
  const kind = (who >> 1) % 6;
  return kind === 4 ? writeTogether : kind === 5 ? endAgainAndAgain : talkInTurns;
}

/** Does what is left to do, also what the last to be killed had begun; the jobs that remain. */
async function settleWhole(memory: Memory): Promise<readonly Job[]> {
  const end = Date.now() + LEASE_MS;
  for (;;) {
    // What failed on a bad day is tried again in its own time; here there is none.
    await memory.settle();
    const jobs = await memory.queue.listJobs();
    if (!jobs.some(({ state }) => state === "leased") || Date.now() > end) return jobs;
    await pause(1000);
  }
}

async function writeConfig(store: string, config: Readonly<Record<string, unknown>>): Promise<void> {
  const memory = await openMemory({ store, passive: true });
  await memory.store.documents.write("config.json", JSON.stringify(config));
  await memory.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (import.meta.main) {
  const postgres = await startPostgres();
  try {
    const seconds = Number(process.argv[2] ?? PLAN.seconds);
    process.exitCode = (await runChaos(postgres, { seconds })) ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}
