import pg from "pg";
import { describeError } from "../../errors.ts";
import { isLost, mayTryAgain, StandbyError, toMemoryError, UnsureError, wasNotSent } from "./engine-errors.ts";
import type { Connection, Engine } from "./engine.ts";

/** How the database is reached. */
export interface EngineOptions {
  /** `postgres://…`, one for each host on which it may be; what they leave out comes from the PG* variables. */
  urls: readonly string[];
  /** Connections at most. */
  poolSize?: number | undefined;
  /** How long a connection is waited for. */
  connectMs?: number | undefined;
  /** How long a statement may take. */
  statementMs?: number | undefined;
  /** How long a database that was there before is waited for. */
  patienceMs?: number | undefined;
}

const POOL_SIZE = 10;
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
// A restart or a failover takes seconds; who waits longer than this is told.
const PATIENCE_MS = 15_000;
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 2000;
// The server ends what takes too long; one that does not even do that has gone, or its network has.
const GRACE_MS = 5000;
const LONGEST_MS = 2 ** 31 - 1;

/** Opens a pool of connections; none is made before the first question. */
export function openEngine(options: EngineOptions): Engine {
  const { urls } = options;
  const name = withoutSecrets(urls);
  const statementMs = options.statementMs ?? STATEMENT_MS;
  const pool = new pg.Pool({
    connectionString: urls[0],
    max: options.poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: options.connectMs ?? CONNECT_MS,
    query_timeout: statementMs + GRACE_MS,
    application_name: "tidemark",
    keepAlive: true,
    allowExitOnIdle: true,
    pipeline: true,
  });
  // A connection that breaks while nobody uses it is no one's failure: the pool makes another.
  pool.on("error", ignore);
  // Whoever uses one hears of its end by the statement that fails; it may end between two of them, or after the last.
  pool.on("connect", (client) => client.on("error", ignore));
  const current = () => pool.options.connectionString ?? "";
  // Of several who fail at the same host only one goes on to the next.
  const leave = (url: string): void => {
    if (url === current()) pool.options.connectionString = urls[(urls.indexOf(url) + 1) % urls.length] ?? url;
  };
  // Said with each transaction, and not with the connection: a pooler in between refuses what it does not know.
  const limits = `SET LOCAL statement_timeout = ${statementMs}; SET LOCAL idle_in_transaction_session_timeout = ${2 * statementMs}`;
  const run = async <T>(
    begin: string,
    work: (connection: Connection) => Promise<T>,
    mayRepeat: boolean,
  ): Promise<T> => {
    const url = current();
    try {
      return await runOnce(pool, { begin: `${begin}; ${limits}`, needsWrites: urls.length > 1 }, work, mayRepeat);
    } catch (error) {
      if (isLost(error) || error instanceof UnsureError) leave(url);
      throw error;
    }
  };
  let wasThere = false;
  return {
    name,
    async transaction(begin, work, confirm) {
      const begun = performance.now();
      // Who was never there is waited for as long as one connection may take; who was there before comes back.
      const patienceMs = wasThere ? (options.patienceMs ?? PATIENCE_MS) : (options.connectMs ?? CONNECT_MS);
      const look = typeof confirm === "function" ? confirm : undefined;
      let unsure: UnsureError | undefined;
      for (let attempt = 1; ; attempt++) {
        try {
          // Whether the last try was carried out must be known before there is another, however long the server is away.
          const known = unsure && look ? await run(begin, look, true) : undefined;
          if (known !== undefined) return known;
          unsure = undefined;
          const result = await run(begin, work, confirm === "again");
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

interface Beginning {
  begin: string;
  /** Whether there may be a server that takes none. */
  needsWrites: boolean;
}

async function runOnce<T>(
  pool: pg.Pool,
  { begin, needsWrites }: Beginning,
  work: (connection: Connection) => Promise<T>,
  mayRepeat: boolean,
): Promise<T> {
  const client = await pool.connect();
  inOnePiece(client);
  const begun = client.query(begin);
  // It is asked for below, where what came after it failed.
  begun.catch(ignore);
  let hasAsked = false;
  let firstFailure: unknown;
  let ended: Promise<unknown> | undefined;
  const end = (): Promise<unknown> => (ended ??= client.query("COMMIT"));
  const connection: Connection = {
    async query(text, values, limit) {
      // A write must not run where there is no transaction; a first look may go out before it is known that there is one.
      if (!mayRepeat && (hasAsked || !/^\s*SELECT\b/.test(text))) await begun;
      hasAsked = true;
      const question = { text, ...(values && { values: [...values] }), ...(limit && { query_timeout: LONGEST_MS }) };
      try {
        return (await client.query(question)).rows;
      } catch (error) {
        // What is sent behind a statement that failed fails because of it.
        throw (firstFailure ??= error);
      }
    },
    finish: () => void (mayRepeat && end().catch(ignore)),
  };
  let broken: Error | undefined;
  let isCommitting = false;
  try {
    if (needsWrites && (await isReadOnly(connection))) throw new StandbyError("this server is a standby");
    const result = await work(connection);
    isCommitting = true;
    if (mayRepeat) end().catch(ignore);
    else await Promise.all([begun, end()]);
    return result;
  } catch (failed) {
    const error = await begun.then(
      () => failed,
      (first: unknown) => first,
    );
    broken = isLost(error) ? error : await rollBack(client);
    if (!isCommitting || !isLost(error) || wasNotSent(error) || mayRepeat) throw error;
    throw new UnsureError(describeError(error), { cause: error });
  } finally {
    client.release(broken);
  }
}

/** Whatever is sent until the present work is done is one write. */
function inOnePiece({ connection: { stream } }: pg.PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

async function isReadOnly(connection: Connection): Promise<boolean> {
  const [row] = await connection.query("SELECT current_setting('transaction_read_only') AS setting");
  return row?.["setting"] === "on";
}

async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** An address as it may be shown: no password, and no option that holds one. */
function withoutSecrets(urls: readonly string[]): string {
  try {
    const all = urls.map((url) => new URL(url));
    const [{ protocol, username, pathname } = new URL("postgres:")] = all;
    const hosts = all.map(({ host }) => host).join(",");
    return `${protocol}//${username === "" ? "" : `${username}@`}${hosts}${pathname}`;
  } catch (error) {
    if (error instanceof TypeError) return "postgres://…";
    throw error;
  }
}
