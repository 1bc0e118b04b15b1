import { MemoryError } from "../../errors.ts";
import type { Connection, Engine, Row, Value } from "./engine.ts";

/** Asks for one workspace; the first parameter, `$1`, is the workspace, and the values given are those from `$2` on. */
export type Query = (text: string, values?: readonly Value[]) => Promise<Row[]>;

/** One workspace of a database; nothing of another one can be reached through it. */
export interface Tenant {
  readonly workspace: string;
  /** One statement in a transaction of its own, or in the one under way. */
  readonly query: Query;
  /** Several looks at one moment; writes nothing. */
  readonly read: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  /**
   * Several statements: all of them or none. Where the answer to the commit is lost, `confirm` looks whether they were
   * carried out; within a larger transaction it answers for all of that.
   */
  readonly transact: <T>(
    work: (query: Query) => Promise<T>,
    confirm?: (query: Query) => Promise<T | undefined>,
  ) => Promise<T>;
  /** The same workspace, within one transaction; what it did is there for others only after it. */
  readonly within: <T>(work: (tenant: Tenant) => Promise<T>) => Promise<T>;
  /** Runs something once what is done now is there for others, outside of the transaction. */
  readonly afterwards: (work: (outer: Tenant) => Promise<void>) => Promise<void>;
}

/** What must still hold before anything is written; it throws where that is not so. */
export type Guard = (query: Query) => Promise<void>;

/**
 * Gives one workspace of a database; whatever writes asks `guard` first, in the same transaction, and is told to
 * `onWritten` once it is there for others.
 */
export function createTenant(
  engine: Engine,
  workspace: string,
  guard: Guard = async () => undefined,
  onWritten: () => void = () => undefined,
): Tenant {
  const begin = `BEGIN; SET LOCAL tidemark.workspace = ${quoteLiteral(workspace)}`;
  const transact: Tenant["transact"] = async (work, confirm) => {
    const result = await engine.transaction(
      begin,
      async (connection) => {
        const query = queryOf(connection, workspace);
        await guard(query);
        return work(query);
      },
      confirm && ((connection) => confirm(queryOf(connection, workspace))),
    );
    onWritten();
    return result;
  };
  // Who only looks need not hold anything.
  const read: Tenant["read"] = (work) =>
    engine.transaction(begin, (connection) => work(queryOf(connection, workspace)), "again");
  const look = gatherLooks((looks) =>
    engine.transaction(
      begin,
      (connection) => {
        const query = queryOf(connection, workspace);
        const answers = looks.map(({ text, values }) => query(text, values));
        connection.finish?.();
        return Promise.all(answers);
      },
      "again",
    ),
  );
  const tenant: Tenant = {
    workspace,
    transact,
    read,
    query: (text, values) =>
      /^\s*SELECT\b/.test(text) ? look(text, values) : transact((query) => query(text, values)),
    async within<T>(work: (tenant: Tenant) => Promise<T>): Promise<T> {
      const later: ((outer: Tenant) => Promise<void>)[] = [];
      const checks: ((query: Query) => Promise<unknown>)[] = [];
      let given: { result: T } | undefined;
      const { result } = await transact(
        async (query) => {
          // It may be tried again after it was undone.
          later.length = 0;
          checks.length = 0;
          const inner: Tenant = {
            workspace,
            query,
            read: (look) => look(query),
            transact(change, confirm) {
              if (confirm) checks.push(confirm);
              return change(query);
            },
            within: (more) => more(inner),
            afterwards: async (next) => void later.push(next),
          };
          given = { result: await work(inner) };
          return given;
        },
        async (query) => {
          if (checks.length === 0)
            throw new MemoryError(
              "STATE_UNUSABLE",
              `The database ${engine.name} was lost while it answered; whether the last change was made is not known`,
            );
          // One of them is enough: it was carried out wholly or not at all.
          for (const check of checks) if ((await check(query)) !== undefined) return given;
          return undefined;
        },
      );
      for (const next of later) await next(tenant);
      return result;
    },
    afterwards: (work) => work(tenant),
  };
  return tenant;
}

interface Look {
  readonly text: string;
  readonly values: readonly Value[];
}

/**
 * Single looks that are asked for at the same moment go to the database together. Where one of them fails each is asked
 * on its own, so that nobody gets another one's error.
 */
function gatherLooks(ask: (looks: readonly Look[]) => Promise<Row[][]>): Query {
  let waiting: Look[] = [];
  let answers: Promise<Row[][]> | undefined;
  const send = async (): Promise<Row[][]> => {
    await new Promise((resolve) => process.nextTick(resolve));
    const looks = waiting;
    waiting = [];
    answers = undefined;
    return ask(looks);
  };
  return async (text, values = []) => {
    const look = { text, values };
    const place = waiting.push(look) - 1;
    answers ??= send();
    const together = waiting;
    try {
      return (await answers)[place] ?? [];
    } catch (error) {
      if (together.length === 1) throw error;
      const [rows = []] = await ask([look]);
      return rows;
    }
  };
}

/** The one way to the tables: a statement that does not name its workspace is our bug, and is not sent. */
function queryOf(connection: Connection, workspace: string): Query {
  return (text, values = []) => {
    // What a cursor gives was chosen by the statement that declared it.
    if (/^FETCH \d+ FROM tidemark_scan$|^CLOSE tidemark_scan$/.test(text)) return connection.query(text);
    if (!/\bworkspace = \$1\b|\(\$1,|SELECT \$1\b/.test(text))
      throw new Error(`A query without its workspace: ${text}`);
    for (const value of values) refuseNul(value);
    return connection.query(text, [workspace, ...values]);
  };
}

/** PostgreSQL has no character for NUL in a text. */
function refuseNul(value: Value): void {
  const texts = Array.isArray(value) ? value : [value];
  if (texts.some((text) => typeof text === "string" && text.includes("\0")))
    throw new MemoryError("KEY_INVALID", "A name, key or id with a NUL character cannot be kept in PostgreSQL");
}

function quoteLiteral(text: string): string {
  // A server may be set to read backslashes as in C.
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("\0", "")}'`;
}
