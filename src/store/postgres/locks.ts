import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { basename } from "node:path";
import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import type { Lock, LockHolder, Locks } from "../locks.ts";
import type { Guard, Tenant } from "./tenant.ts";

// A session whose server is killed can be talked in again after this; a holder that lives renews six times as often.
const LEASE_MS = 10_000;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 200;
const TELL_AFTER_MS = 800;
const DEFAULT_WAIT_MS = 60_000;

const Holder = z.object({ host: z.string(), pid: z.number(), command: z.string() });

/** The tokens of the locks within which something runs. */
const holding = new AsyncLocalStorage<readonly string[]>();

/**
 * Nothing is written under a lock that has been lost meanwhile, as by a process that stood still: the rows of the locks
 * are looked at in the transaction that writes, and nobody can take them before it ends.
 */
export const needLocks: Guard = async (query) => {
  const tokens = holding.getStore() ?? [];
  if (tokens.length === 0) return;
  const rows = await query(
    "SELECT token FROM tidemark_locks WHERE workspace = $1 AND token = ANY ($2::text[]) FOR SHARE",
    [tokens],
  );
  if (rows.length < tokens.length)
    throw new MemoryError(
      "LOCK_TIMEOUT",
      "This process stood still for too long and lost its lock; nothing was written",
    );
};

/** Locks that live until they are closed. */
export interface LeasedLocks extends Locks {
  /** The tokens of those that this process holds now. */
  heldTokens(): string[];
  close(): Promise<void>;
}

/**
 * Locks as rows with a lease, by the clock of the database alone. They need no connection of their own, so that they
 * hold behind a pooler too; who dies stops renewing, and after the lease anyone may take over.
 */
export function createLocks(tenant: Tenant, leaseMs = LEASE_MS): LeasedLocks {
  const listeners = new Set<(text: string) => void>();
  const held = new Map<string, string>();
  const queues = new Map<string, Promise<unknown>>();
  const renew = async (): Promise<void> => {
    const tokens = [...held.keys()];
    if (tokens.length > 0) await tenant.query(RENEW, [tokens, leaseMs]);
  };
  // What cannot be renewed now is tried again well before the lease ends; if that fails too, it is lost.
  const timer = setInterval(() => void renew().catch(() => undefined), leaseMs / 6).unref();

  const tryTake = async (name: string): Promise<(Lock & { token: string }) | undefined> => {
    const token = randomUUID();
    const take = async (query: Tenant["query"]) => (await query(TAKE, [name, token, holderText(), leaseMs])).length > 0;
    const isKnown = async (query: Tenant["query"]) =>
      (await query("SELECT 1 FROM tidemark_locks WHERE workspace = $1 AND name = $2 AND token = $3", [name, token]))
        .length > 0 || undefined;
    if (!(await tenant.transact(take, isKnown))) return undefined;
    held.set(token, name);
    return {
      token,
      async release() {
        if (!held.delete(token)) return;
        const free = "DELETE FROM tidemark_locks WHERE workspace = $1 AND name = $2 AND token = $3";
        // What was done under it is done. A database that is away frees it by itself, when the lease has run out.
        await tenant.query(free, [name, token]).catch(() => undefined);
      },
    };
  };
  const findHolder = async (name: string): Promise<LockHolder | undefined> => {
    const [row] = await tenant.query("SELECT holder, since FROM tidemark_locks WHERE workspace = $1 AND name = $2", [
      name,
    ]);
    if (row === undefined) return undefined;
    const holder = Holder.safeParse(JSON.parse(String(row["holder"]))).data;
    const since = row["since"] instanceof Date ? row["since"].toISOString() : String(row["since"]);
    const isOwn = holder?.pid === process.pid && holder.host === hostname();
    const who = isOwn ? "This process" : `Process ${holder?.pid} on ${holder?.host} (${holder?.command})`;
    // Who stands still does not renew its lease, and has lost it before it could be told apart.
    return { who, since, isStopped: false };
  };
  const describe = async (name: string): Promise<string> => {
    const holder = await findHolder(name);
    if (holder === undefined) return `Another process held the lock ${name}`;
    return `${holder.who} has held the lock ${name} since ${holder.since}`;
  };
  const wait = async (name: string, maxWaitMs: number, signal?: AbortSignal) => {
    const begun = performance.now();
    let isTold = false;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      const lock = await tryTake(name);
      if (lock) return lock;
      const waitedMs = performance.now() - begun;
      if (waitedMs >= maxWaitMs)
        throw new MemoryError("LOCK_TIMEOUT", `${await describe(name)}; gave up after ${Math.round(waitedMs)} ms`);
      if (signal?.aborted) throw new MemoryError("LOCK_TIMEOUT", `${await describe(name)}; stopped waiting`);
      // Nobody can do anything about a process that is at work itself.
      if (!isTold && waitedMs >= TELL_AFTER_MS && ![...held.values()].includes(name)) {
        isTold = true;
        const text = `Waiting: ${await describe(name)}`;
        for (const tell of listeners) tell(text);
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, maxWaitMs)));
    }
  };
  return {
    async with(name, work, maxWaitMs = DEFAULT_WAIT_MS, signal) {
      const lock = await wait(name, maxWaitMs, signal);
      try {
        return await holding.run([...(holding.getStore() ?? []), lock.token], async () => work());
      } finally {
        await lock.release();
      }
    },
    async take(name, maxWaitMs, signal) {
      return wait(name, maxWaitMs, signal);
    },
    holder: findHolder,
    onWait(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async live(own) {
      const life = await tryTake(own);
      return {
        async isAlive(name) {
          if (name === own) return true;
          const rows = await tenant.query(
            "SELECT 1 FROM tidemark_locks WHERE workspace = $1 AND name = $2 AND expires_at > clock_timestamp()",
            [name],
          );
          return rows.length > 0;
        },
        end: async () => life?.release(),
      };
    },
    heldTokens: () => [...held.keys()],
    async close() {
      clearInterval(timer);
      await Promise.allSettled(queues.values());
    },
  };
}

// One's own is taken again: its commit may come only after it was asked whether it did.
const TAKE = `
  INSERT INTO tidemark_locks AS known (workspace, name, token, holder, since, expires_at)
  VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + make_interval(secs => $5::double precision / 1000))
  ON CONFLICT (workspace, name) DO UPDATE SET token = excluded.token, holder = excluded.holder, since = excluded.since,
    expires_at = excluded.expires_at WHERE known.expires_at < clock_timestamp() OR known.token = excluded.token RETURNING token`;

// Also one that has run out, as while the database was away: as long as the token is ours, nobody has taken it.
const RENEW = `
  UPDATE tidemark_locks SET expires_at = clock_timestamp() + make_interval(secs => $3::double precision / 1000)
  WHERE workspace = $1 AND token = ANY ($2::text[])`;

function holderText(): string {
  const [, script = "", ...rest] = process.argv;
  // The first word alone, and only a plain one: what follows may be what someone said, and an address holds a password.
  const verb = rest.slice(0, 1).filter((word) => /^[\w-]{1,30}$/.test(word));
  const command = [basename(script).replace(/\.[cm]?js$/, ""), ...verb].join(" ").trim();
  return JSON.stringify({ host: hostname(), pid: process.pid, command });
}
