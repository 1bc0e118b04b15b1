import { MemoryError } from "../../errors.ts";
import type { Address } from "../address.ts";
import type { StoreSource } from "../store.ts";
import { contentOf } from "./documents.ts";
import type { Engine } from "./engine.ts";
import { examineDatabase } from "./examine-database.ts";
import type { DatabaseFacts } from "./examine-database.ts";
import { migrate, readSchema } from "./migrate.ts";
import type { Migrated } from "./migrate.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { createTenant } from "./tenant.ts";
import type { Tenant } from "./tenant.ts";

/** A workspace of a database, for whoever opens it. */
export function postgresSource(address: Address): Required<StoreSource> {
  return {
    name: address.shown,
    read: (path) => lookInto(address, async ({ query }) => (await contentOf(query, path))?.toString("utf8")),
    isThere: async () => (await lookInto(address, isBegun)) === true,
    open: async (setting) => openPostgresStore(await openEngine(address), address.workspace, setting, address.leaseMs),
  };
}

/** Brings the tables of a database up to date. */
export async function migrateDatabase(address: Address): Promise<Migrated> {
  const engine = await openEngine(address);
  try {
    return await migrate(engine);
  } finally {
    await engine.close();
  }
}

/** Asks a database about itself. */
export async function lookAtDatabase(address: Address, now: () => number): Promise<DatabaseFacts> {
  const engine = await openEngine({ ...address, poolSize: 1 });
  try {
    return await examineDatabase(engine, now);
  } finally {
    await engine.close();
  }
}

/** Undefined where there are no tables yet. */
async function lookInto<T>(address: Address, look: (tenant: Tenant) => Promise<T>): Promise<T | undefined> {
  const engine = await openEngine({ ...address, poolSize: 1 });
  try {
    return (await readSchema(engine)) === 0 ? undefined : await look(createTenant(engine, address.workspace));
  } finally {
    await engine.close();
  }
}

async function isBegun({ query }: Tenant): Promise<boolean> {
  const [row] = await query(
    `SELECT EXISTS (SELECT 1 FROM tidemark_documents WHERE workspace = $1)
       OR EXISTS (SELECT 1 FROM tidemark_logs WHERE workspace = $1)
       OR EXISTS (SELECT 1 FROM tidemark_change_logs WHERE workspace = $1) AS is_begun`,
  );
  return row?.["is_begun"] === true;
}

/** The driver is loaded only here: whoever keeps to folders need not have it. */
async function openEngine(address: Address): Promise<Engine> {
  const engines = await import("./open-engine.ts").catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new MemoryError(
      "CONFIG_INVALID",
      "A store on PostgreSQL needs the package pg beside Tidemark: npm install pg",
    );
  });
  return engines.openEngine(address);
}
