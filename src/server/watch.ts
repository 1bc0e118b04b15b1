import type { Memory } from "../memory.ts";
import type { Metrics } from "./metrics.ts";
import { createReach } from "./reach.ts";
import type { Reach } from "./reach.ts";
import type { RequestReport } from "./request-report.ts";
import { createTurns } from "./turns.ts";
import type { Turns } from "./turns.ts";

/** What those see of a server who look after it. */
export interface Watch {
  turns: Turns;
  reach: Reach;
  metrics: Metrics | undefined;
  /** The figures are given without a token. */
  areMetricsOpen: boolean;
  /** Told of each request that was answered. */
  onRequest: (report: RequestReport) => void;
}

/** What is to be seen, and by whom. */
export interface WatchOptions {
  version: string;
  /** Who is given the figures. */
  metrics: "token" | "open" | "off";
  onRequest?: ((report: RequestReport) => void) | undefined;
}

/** A server that nobody looks after, but that can still be stopped and probed. */
export function createWatch(memory: Memory): Watch {
  return {
    turns: createTurns(),
    // It reads a number, whatever the store is.
    reach: createReach(() => memory.history.factsVersion()),
    metrics: undefined,
    areMetricsOpen: false,
    onRequest: () => undefined,
  };
}

/** Opens what there is to see of a server; what counts is loaded only where someone wants the figures. */
export async function openWatch(memory: Memory, options: WatchOptions): Promise<Watch> {
  const bare = createWatch(memory);
  const { onRequest = bare.onRequest } = options;
  if (options.metrics === "off") return { ...bare, onRequest };
  const { createMetrics } = await import("./metrics.ts");
  const metrics = createMetrics({ memory, version: options.version, turns: bare.turns, reach: bare.reach });
  const note = (report: RequestReport): void => {
    metrics.noteRequest(report);
    onRequest(report);
  };
  return { ...bare, metrics, areMetricsOpen: options.metrics === "open", onRequest: note };
}
