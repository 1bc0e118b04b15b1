import type { Topic } from "../documents.ts";
import { noticeName } from "./documents.ts";
import { textIn } from "./engine.ts";
import type { Engine } from "./engine.ts";
import type { Tenant } from "./tenant.ts";

const QUIET_MS = 60;
// Notifications get lost; a look now and then finds what they should have told.
const LOOK_MS = 2000;
const TOPICS: readonly Topic[] = ["memory", "talk", "records"];

/** Tells of changes in a workspace, whoever makes them. */
export interface Watching {
  watch(onChange: (topics: Topic[]) => void): () => void;
  close(): Promise<void>;
}

/** Listens and looks while someone wants to know. */
export function createWatching(engine: Engine, tenant: Tenant): Watching {
  const listeners = new Set<(topics: Topic[]) => void>();
  const changed = new Set<Topic>();
  const name = noticeName(tenant.workspace);
  let stamps: Record<Topic, string> | undefined;
  let interval: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopListening: Promise<() => Promise<void>> | undefined;
  const note = (topic: Topic): void => {
    changed.add(topic);
    timer ??= setTimeout(() => {
      timer = undefined;
      const topics = [...changed];
      changed.clear();
      for (const listener of listeners) listener(topics);
    }, QUIET_MS).unref();
  };
  const look = async (): Promise<void> => {
    const now = await readStamps(tenant);
    for (const topic of TOPICS) if (stamps && stamps[topic] !== now[topic]) note(topic);
    stamps = now;
  };
  // A look that fails is made again soon.
  const lookQuietly = () => void look().catch(() => undefined);
  const start = (): void => {
    interval = setInterval(lookQuietly, LOOK_MS).unref();
    lookQuietly();
    stopListening = engine.listen("tidemark", (payload) => {
      const topic = TOPICS.find((each) => payload === `${name}:${each}`);
      if (topic !== undefined) note(topic);
    });
  };
  const stop = async (): Promise<void> => {
    clearInterval(interval);
    clearTimeout(timer);
    timer = undefined;
    stamps = undefined;
    const stopping = stopListening;
    stopListening = undefined;
    await (
      await stopping
    )?.();
  };
  return {
    watch(onChange) {
      listeners.add(onChange);
      if (listeners.size === 1) start();
      return () => {
        if (listeners.delete(onChange) && listeners.size === 0) void stop().catch(() => undefined);
      };
    },
    async close() {
      listeners.clear();
      await stop();
    },
  };
}

async function readStamps(tenant: Tenant): Promise<Record<Topic, string>> {
  const [row] = await tenant.query(
    `SELECT (SELECT max(version) FROM tidemark_documents WHERE workspace = $1) AS memory,
       (SELECT max(version) FROM tidemark_logs WHERE workspace = $1) AS talk,
       (SELECT max(sequence) FROM tidemark_runs WHERE workspace = $1) AS records`,
  );
  return { memory: textIn(row, "memory"), talk: textIn(row, "talk"), records: textIn(row, "records") };
}
