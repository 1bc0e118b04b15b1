import pg from "pg";
import { describeError, MemoryError } from "../../errors.ts";
import type { Connection, Engine } from "./engine.ts";

/** How the database is reached. */
export interface EngineOptions {
  /** `postgres://…`; what it leaves out comes from the PG* variables. */
  url: string;
  /** Connections at most. */
  poolSize?: number | undefined;
  /** How long a connection is waited for. */
  connectMs?: number | undefined;
  /** How long a statement may take. */
  statementMs?: number | undefined;
}

const POOL_SIZE = 10;
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
// A restart or a failover takes seconds; who waits longer than this is told.
const PATIENCE_MS = 15_000;
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 2000;
const RECONNECT_MS = 1000;

// Two transactions in each other's way: one of them was undone, and may try again.
const COLLIDED = new Set(["40001", "40P01"]);
// The server is starting or stopping, has no room, or is a standby: soon it, or another one, will do.
const PASSING =
  /^(?:08|57P0|53[03]|25006)|^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Opens a pool of connections; none is made before the first question. */
export function openEngine(options: EngineOptions): Engine {
  const name = withoutSecrets(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: options.connectMs ?? CONNECT_MS,
    statement_timeout: options.statementMs ?? STATEMENT_MS,
    idle_in_transaction_session_timeout: 2 * (options.statementMs ?? STATEMENT_MS),
    application_name: "tidemark",
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it is no one's failure: the pool makes another.
  pool.on("error", ignore);
  // Whoever uses one hears of its end by the statement that fails; it may end between two of them, or after the last.
  pool.on("connect", (client) => client.on("error", ignore));
  let wasThere = false;
  return {
    name,
    async transaction(begin, work, confirm) {
      const begun = performance.now();
      // Who was never there is waited for as long as one connection may take; who was there before comes back.
      const patienceMs = wasThere ? PATIENCE_MS : (options.connectMs ?? CONNECT_MS);
      const look = typeof confirm === "function" ? confirm : undefined;
      let unsure: UnsureError | undefined;
      for (let attempt = 1; ; attempt++) {
        try {
          // Whether the last try was carried out must be known before there is another, however long the server is away.
          const known = unsure && look ? await runOnce(pool, begin, look, true) : undefined;
          if (known !== undefined) return known;
          unsure = undefined;
          const result = await runOnce(pool, begin, work, confirm === "again");
          wasThere = true;
          return result;
        } catch (error) {
          if (error instanceof UnsureError && look) unsure = error;
          else if (!mayTryAgain(error)) throw toMemoryError(error, name);
          if (performance.now() - begun > patienceMs) throw toMemoryError(unsure ?? error, name);
          const waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
          // Not all at the same instant.
          await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random() / 2)));
        }
      }
    },
    listen: (channel, onNotify) => listen(options.url, channel, onNotify),
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      most: pool.options.max,
    }),
    close: () => pool.end(),
  };
}

function ignore(): void {}

/** The commit was sent, and no answer came: whether it was carried out is not known. */
class UnsureError extends Error {}

async function runOnce<T>(
  pool: pg.Pool,
  begin: string,
  work: (connection: Connection) => Promise<T>,
  mayRepeat: boolean,
): Promise<T> {
  const client = await pool.connect();
  const connection: Connection = {
    query: async (text, values) => (await client.query(text, values && [...values])).rows,
  };
  let broken: Error | undefined;
  let isCommitting = false;
  try {
    await client.query(begin);
    const result = await work(connection);
    isCommitting = true;
    await client.query("COMMIT");
    return result;
  } catch (error) {
    broken = isLost(error) ? error : await rollBack(client);
    if (!isCommitting || !isLost(error) || wasNotSent(error) || mayRepeat) throw error;
    throw new UnsureError(describeError(error), { cause: error });
  } finally {
    client.release(broken);
  }
}

async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return (
    PASSING.test(codeOf(error)) ||
    /Connection terminated|Client has encountered|timeout exceeded when trying to connect/i.test(error.message)
  );
}

/** The driver knew that the connection was gone, and did not send anything. */
function wasNotSent({ message }: Error): boolean {
  return message.includes("is not queryable");
}

function mayTryAgain(error: unknown): boolean {
  if (error instanceof UnsureError || error instanceof MemoryError) return false;
  return isLost(error) || (error instanceof Error && COLLIDED.has(codeOf(error)));
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function toMemoryError(error: unknown, name: string): unknown {
  if (error instanceof MemoryError || !(error instanceof Error)) return error;
  if (/^SASL: .*password must be/.test(error.message))
    return new MemoryError(
      "CONFIG_INVALID",
      `The database ${name} wants a password: put it into PGPASSWORD, or into the address as {env:NAME}`,
    );
  const isDriver = error instanceof UnsureError || codeOf(error) !== "" || isLost(error);
  if (!isDriver) return error;
  // An attempt at several addresses has no words of its own.
  const reason = describeError(error) || codeOf(error);
  const unsure = error instanceof UnsureError ? "; whether the last change was made is not known" : "";
  return new MemoryError("STATE_UNUSABLE", `The database ${name} failed: ${reason}${unsure}`, {
    cause: error,
  });
}

/** A connection of its own, made again whenever it breaks; what was said meanwhile is lost, and polling finds it. */
async function listen(url: string, channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, application_name: "tidemark listen" });
    const again = () => {
      if (isStopped || client !== next) return;
      client = undefined;
      timer = setTimeout(() => void connect().catch(() => undefined), RECONNECT_MS).unref();
    };
    client = next;
    next.on("notification", ({ payload }) => onNotify(payload ?? ""));
    next.on("error", again);
    next.on("end", again);
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
    } catch {
      again();
    }
  };
  await connect();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}

/** An address as it may be shown: no password, and no option that holds one. */
function withoutSecrets(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
  } catch (error) {
    if (error instanceof TypeError) return "postgres://…";
    throw error;
  }
}
