import prom from "prom-client";
import type { Memory } from "../memory.ts";
import { MemoryError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { Usage } from "../history/change.ts";
import type { RequestReport } from "./request-report.ts";
import type { Reach } from "./reach.ts";
import type { Turns, TurnOutcome } from "./turns.ts";

/** What is counted of a server's work. No label names a user, a session or anything that was said. */
export interface Metrics {
  noteRequest(report: RequestReport): void;
  noteTurn(wire: string, outcome: TurnOutcome | "refused"): void;
  /** What a turn took of our own time before the model was asked. */
  noteOverhead(wire: string, seconds: number): void;
  noteSpend(model: string, usage: Usage, cost: number | null): void;
  /** Something failed; what the store did not cause is not counted. */
  noteFailure(code: ErrorCode): void;
  /** Everything, as Prometheus reads it. */
  render(): Promise<{ type: string; text: string }>;
  close(): void;
}

/** What is measured besides requests. */
export interface Measured {
  memory: Memory;
  version: string;
  turns: Turns;
  reach: Reach;
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const OVERHEAD_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];
const STORE_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "STATE_UNUSABLE",
  "LOCK_TIMEOUT",
  "SESSION_UNREADABLE",
  "SESSION_UNWRITABLE",
  "FILE_UNREADABLE",
  "FILE_UNWRITABLE",
]);
// Clients may name any model of a provider; what is measured must not grow with that.
const MOST_MODELS = 100;

/** Counts what a server does, for Prometheus. */
export function createMetrics({ memory, version, turns, reach }: Measured): Metrics {
  const register = new prom.Registry();
  const registers = [register];
  prom.collectDefaultMetrics({ register });
  const requests = new prom.Histogram({
    name: "tidemark_request_seconds",
    help: "Requests and how long they took, until the last byte",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new prom.Counter({ name: `tidemark_${name}`, help, labelNames, registers });
  const turnsEnded = counter("turns_total", "Turns that ended, by how", "wire", "outcome");
  const overhead = new prom.Histogram({
    name: "tidemark_turn_overhead_seconds",
    help: "What a turn took before the model was asked",
    labelNames: ["wire"],
    buckets: OVERHEAD_SECONDS,
    registers,
  });
  const calls = counter("model_calls_total", "Calls to models, of turns and of digests", "model");
  const tokens = counter("tokens_total", "Tokens of models; cached ones are also input", "model", "kind");
  const money = counter("money_total", "What models cost, by spend.prices", "model");
  const digests = counter("digests_total", "Digests that ended, by how", "outcome");
  const jobs = counter("jobs_total", "Durable jobs that ended here, by how", "kind", "outcome");
  const failures = counter("store_errors_total", "Failures of the store", "code");
  addGauges(register, { memory, version, turns, reach });
  const models = new Set<string>();
  const nameOf = (model: string): string => {
    if (models.size < MOST_MODELS) models.add(model);
    return models.has(model) ? model : "other";
  };
  const noteSpend: Metrics["noteSpend"] = (named, usage, cost) => {
    const model = nameOf(named);
    calls.inc({ model });
    tokens.inc({ model, kind: "input" }, usage.inputTokens);
    tokens.inc({ model, kind: "output" }, usage.outputTokens);
    tokens.inc({ model, kind: "cached" }, usage.cachedTokens);
    if (cost !== null) money.inc({ model }, cost);
  };
  const stops = [
    memory.on("consolidated", ({ outcome }) => digests.inc({ outcome: outcome.kind })),
    memory.on("job", ({ kind, outcome }) => jobs.inc({ kind, outcome })),
    memory.on("spent", ({ model, usage, cost }) => noteSpend(model, usage, cost)),
  ];
  return {
    noteRequest: ({ method, route, status, ms }) => requests.observe({ method, route, status }, ms / 1000),
    noteTurn: (wire, outcome) => turnsEnded.inc({ wire, outcome }),
    noteOverhead: (wire, seconds) => overhead.observe({ wire }, seconds),
    noteSpend,
    noteFailure(code) {
      if (STORE_FAILURES.has(code)) failures.inc({ code });
    },
    render: async () => ({ type: register.contentType, text: await register.metrics() }),
    close() {
      for (const stop of stops) stop();
      register.clear();
    },
  };
}

/** What is not counted but looked at, whenever someone asks. */
function addGauges(register: prom.Registry, { memory, version, turns, reach }: Measured): void {
  const add = (name: string, help: string, labelNames: string[], look: (gauge: prom.Gauge) => void | Promise<void>) => {
    const collect = function collect(this: prom.Gauge) {
      // What was true before is no answer.
      this.reset();
      return look(this);
    };
    register.registerMetric(new prom.Gauge({ name: `tidemark_${name}`, help, labelNames, registers: [], collect }));
  };
  add("info", "The version", ["version"], (gauge) => gauge.set({ version }, 1));
  add("turns_under_way", "Turns that are being answered", [], (gauge) => gauge.set(turns.underWay));
  add("store_up", "Whether the store answers", [], async (gauge) => gauge.set((await reach.isReached()) ? 1 : 0));
  add("connections", "The pool of connections to the store, and who waits for one", ["state"], (gauge) => {
    const used = memory.store.connections?.();
    for (const [state, number] of used ? Object.entries(used) : []) gauge.set({ state }, number);
  });
  add("jobs", "Durable jobs of the workspace: they wait, run, or were given up", ["state"], async (gauge) => {
    const states = (await reach.isReached()) ? await listStates(memory) : undefined;
    for (const [state, name] of states ? JOB_STATES : [])
      gauge.set({ state: name }, states?.filter((each) => each === state).length ?? 0);
  });
}

/** How the jobs stand; undefined where the store failed just now. */
async function listStates({ queue }: Memory): Promise<string[] | undefined> {
  try {
    return (await queue.listJobs()).map((job) => job.state);
  } catch (error) {
    if (error instanceof MemoryError) return undefined;
    throw error;
  }
}

const JOB_STATES = [
  ["pending", "waiting"],
  ["leased", "running"],
  ["dead", "failed"],
] as const;
