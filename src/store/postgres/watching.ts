import { z } from "zod";
import type { Topic } from "../documents.ts";
import type { Query } from "./tenant.ts";

const QUIET_MS = 60;
const LOOK_MS = 1000;
// Numbers are taken before a transaction ends, and transactions end in another order: those who are a little late are seen.
const LATE = 1000;

const ChangedRow = z.object({
  topic: z.enum(["memory", "talk", "records"]),
  id: z.string(),
  version: z.coerce.number(),
});

/** Tells of changes in a workspace, whoever makes them. */
export interface Watching {
  watch(onChange: (topics: Topic[]) => void): () => void;
  /** Looks soon, where someone wants to know: this process has written something. */
  lookSoon(): void;
  close(): void;
}

/**
 * Looks every second, while someone wants to know, for what has a newer number, by indexes alone. Nobody who writes has to
 * tell anyone: a notification would let commits of the whole server wait for each other.
 */
export function createWatching(query: Query): Watching {
  const listeners = new Set<(topics: Topic[]) => void>();
  let seen: { last: number; rows: ReadonlySet<string> } | undefined;
  let interval: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const before = seen;
    const found = await readChanged(query, before && before.last - LATE);
    const rows = found.map((row) => ChangedRow.parse(row));
    const names = rows.map(({ topic, id, version }) => ({ topic, name: `${topic} ${id} ${version}` }));
    const last = rows.reduce((most, { version }) => Math.max(most, version), before?.last ?? 0);
    seen = { last, rows: new Set(names.map(({ name }) => name)) };
    const topics = new Set(names.filter(({ name }) => before && !before.rows.has(name)).map(({ topic }) => topic));
    if (topics.size > 0) for (const listener of listeners) listener([...topics]);
  };
  // One look at a time; one that fails is made again soon.
  const lookQuietly = (): void => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
  };
  const stop = (): void => {
    clearInterval(interval);
    clearTimeout(timer);
    [timer, seen] = [undefined, undefined];
  };
  return {
    watch(onChange) {
      listeners.add(onChange);
      if (listeners.size === 1) {
        interval = setInterval(lookQuietly, LOOK_MS).unref();
        lookQuietly();
      }
      return () => {
        if (listeners.delete(onChange) && listeners.size === 0) stop();
      };
    },
    lookSoon() {
      if (listeners.size === 0) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        lookQuietly();
      }, QUIET_MS).unref();
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}

/** What has changed since a number; without one, the newest of each kind. */
function readChanged(query: Query, since: number | undefined): ReturnType<Query> {
  const kinds = [
    ["memory", "documents", "path"],
    ["talk", "logs", "id"],
    ["records", "change_logs", "scope"],
  ];
  const looks = kinds.map(
    ([topic, table, id]) =>
      `SELECT '${topic}' AS topic, ${id}::text AS id, version FROM tidemark_${table} WHERE workspace = $1
       AND version > coalesce($2::bigint, (SELECT max(version) - ${LATE} FROM tidemark_${table} WHERE workspace = $1))`,
  );
  return query(looks.join(" UNION ALL "), [since ?? null]);
}
