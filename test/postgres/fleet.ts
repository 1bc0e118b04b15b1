import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { freePort } from "./postgres-server.ts";

/** Servers and workers over one store, as processes of what is shipped. */
export interface Fleet {
  /** Where the servers listen; each keeps its place when it is started again. */
  urls: string[];
  /** How often one was killed. */
  kills: number;
  /**
   * Ends one of them, chosen by chance, at once; another takes its place. Only one that is up, and never the last server
   * that is: where starting takes long, killing what has not begun would prove nothing.
   */
  killOne(): void;
  /** Lets one of those that are up stand still for so long, and go on. */
  stopOne(ms: number): Promise<void>;
  /** Waits until every server answers. */
  untilReady(): Promise<void>;
  /** What they said, the last lines of it. */
  said(): string[];
  /** Asks all of them to stop, and waits; the exit codes. */
  stop(): Promise<(number | null)[]>;
}

/** Who is started. */
export interface FleetPlan {
  servers: number;
  workers: number;
  serverArgs?: readonly string[];
  /** By how many days the clock of each is wrong, in order; those that are left have it right. */
  clocks?: readonly number[];
}

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");
const WRONG_CLOCK = join(import.meta.dirname, "wrong-clock.mjs");
const KEPT_LINES = 400;

/** Starts so many of each. */
export async function startFleet(
  store: string,
  { servers, workers, serverArgs = [], clocks = [] }: FleetPlan,
): Promise<Fleet> {
  const lines: string[] = [];
  const places = [
    ...(await Promise.all(Array.from({ length: servers }, () => freePort()))).map((port) => ({
      url: `http://127.0.0.1:${port}`,
      args: ["serve", "-p", String(port), "--log", "json", ...serverArgs],
    })),
    ...Array.from({ length: workers }, () => ({ url: undefined, args: ["work", "--wait", "5"] })),
  ];
  const up = new Set<ChildProcess>();
  const start = (place: number): ChildProcess => {
    const args = places[place]?.args ?? [];
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      TZ: "UTC",
      TIDEMARK_STORE: store,
      ...(clocks[place] ? { NODE_OPTIONS: `--import ${WRONG_CLOCK}`, DAYS_AHEAD: String(clocks[place]) } : {}),
    };
    const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    child.once("exit", () => up.delete(child));
    child.stderr.on("data", (chunk: Buffer) => {
      // The first thing that either says is that it is there.
      up.add(child);
      // Each request is a line of its own; what goes wrong is looked for among the rest.
      lines.push(
        ...chunk
          .toString()
          .split("\n")
          .filter((line) => line !== "" && !line.includes('"event":"request"')),
      );
      lines.splice(0, lines.length - KEPT_LINES);
    });
    return child;
  };
  const running = places.map((_, place) => start(place));
  const killAll = (): void => running.forEach((child) => child.kill("SIGKILL"));
  process.once("exit", killAll);
  const urls = places.flatMap(({ url }) => url ?? []);
  const fleet: Fleet = {
    urls,
    kills: 0,
    killOne() {
      const isSpare = running.slice(0, servers).filter((child) => up.has(child)).length > 1;
      const ready = running.flatMap((child, place) => (up.has(child) && (isSpare || place >= servers) ? [place] : []));
      const index = ready[Math.floor(Math.random() * ready.length)];
      if (index === undefined) return;
      running[index]?.kill("SIGKILL");
      running[index] = start(index);
      fleet.kills++;
    },
    async stopOne(ms) {
      const ready = running.filter((child) => up.has(child));
      const child = ready[Math.floor(Math.random() * ready.length)];
      child?.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, ms));
      child?.kill("SIGCONT");
    },
    async untilReady() {
      for (const url of urls) while (!(await isReady(url))) await new Promise((resolve) => setTimeout(resolve, 100));
    },
    said: () => lines,
    async stop() {
      process.off("exit", killAll);
      return Promise.all(running.map(endOf));
    },
  };
  return fleet;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.kill("SIGTERM");
  });
}
