import { onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory, MemoryOptions } from "../../src/index.ts";
import { startPostgres } from "./postgres-server.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** A server of one test's own, to be mistreated. */
export async function startOwn(settings: readonly string[] = [], primary?: PostgresServer): Promise<PostgresServer> {
  const server = await startPostgres(settings, primary);
  onTestFinished(() => server.stop());
  return server;
}

/** An address with other options, or another place. */
export function addressOf(url: string, options: Readonly<Record<string, string>>, port?: number): string {
  const address = new URL(url);
  if (port !== undefined) address.port = String(port);
  for (const [name, value] of Object.entries(options)) address.searchParams.set(name, value);
  return address.href;
}

/** Opens a memory that is closed with the test; nothing happens by itself unless it is asked for. */
export async function openAt(store: string, options: Partial<MemoryOptions> = {}): Promise<Memory> {
  const memory = await openMemory({ store, passive: true, ...options });
  onTestFinished(() => memory.close());
  return memory;
}

/** What was said in a session, as whoever comes anew finds it. */
export async function saidAt(store: string, key: string): Promise<string[]> {
  const memory = await openMemory({ store, passive: true });
  const session = await memory.session(key);
  const said = session.messages().map(({ content }) => String(content));
  await memory.close();
  return said;
}

/** Waits for so long. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What was thrown, in words; "" where nothing was. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
