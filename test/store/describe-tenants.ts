import { describe, expect, it, onTestFinished } from "vitest";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/index.ts";
import { createTenant } from "../../src/store/postgres/tenant.ts";
import { isRealServer, newWorkspace, onPostgres, openTestEngine, SLOWLY } from "./postgres-place.ts";

const NAMES = [
  "x' OR '1'='1",
  "x'; DROP TABLE tidemark_messages; --",
  "x\\'; RESET tidemark.workspace; --",
  "%",
  "_",
  "*",
  "../other",
  "a\u202eb",
  '"quoted"',
  "$1",
];

async function open(workspace: string): Promise<Memory> {
  const memory = await openMemory({ store: onPostgres(workspace), passive: true });
  onTestFinished(() => memory.close());
  return memory;
}

/** Many tenants in one database, some of them hostile. */
export function describeTenants(): void {
  describe("a hostile tenant on PostgreSQL", SLOWLY, () => {
    it("finds nothing of its neighbour by any name, key, path or question", async () => {
      const home = newWorkspace();
      const neighbour = await open(home);
      await (await neighbour.session("cli:a")).append({ role: "user", content: "The vault opens with zanzibar" });
      await neighbour.remember("cli:a", { fact: "Keeps zanzibar in the vault", by: "test" });
      await neighbour.store.documents.write("docs/vault.md", "zanzibar\n");
      await neighbour.search("zanzibar");
      const [change] = await neighbour.history.list();
      // A database inside this process is slow.
      for (const name of isRealServer ? NAMES : NAMES.slice(0, 3)) {
        const memory = await open(`${home} ${name}`);
        const session = await memory.session("cli:a");
        expect(session.length, name).toBe(0);
        await session.append({ role: "user", content: `hello from ${name}` });
        expect(await memory.readMemory(), name).toBe("");
        for (const question of ["zanzibar", "vault' OR true --", "zanzibar | !x & (y <-> z):*", "%"]) {
          const texts = (await memory.search(question)).results.map(({ text }) => text);
          expect(
            texts.filter((text) => !text.startsWith("hello from")),
            name,
          ).toEqual([]);
        }
        expect(await memory.history.find(change?.id.slice(0, 2) ?? "none"), name).toEqual([]);
        expect(await memory.store.documents.list("", { isDeep: true }), name).toEqual([]);
        for (const path of [`../${home}/docs/vault.md`, "/docs/vault.md", "docs/../../vault.md", "docs/vault.md\0"])
          expect(await memory.store.documents.read(path).catch(() => undefined), `${name} ${path}`).toBeUndefined();
        expect(await memory.store.logs.readLines("sessions/cli_a.jsonl"), name).not.toContain("zanzibar");
        await memory.store.forgetting.removeFolder("docs");
        await memory.trust.forget({ text: "zanzibar" });
      }
      expect(await neighbour.readMemory()).toContain("zanzibar");
      expect((await neighbour.session("cli:a")).messages()[0]?.content).toContain("zanzibar");
      expect((await neighbour.search("zanzibar")).results.length).toBeGreaterThan(1);
    });

    it("meets the second wall in every table, and in the parts of large ones", async () => {
      const home = newWorkspace();
      const neighbour = await open(home);
      await (await neighbour.session("cli:a")).append({ role: "user", content: "behind the wall" });
      await neighbour.remember("cli:a", { fact: "Stands behind the wall", by: "test" });
      await neighbour.search("wall");
      const engine = await openTestEngine();
      onTestFinished(() => engine.close());
      const look = (workspace: string) =>
        engine.transaction(`BEGIN; SET LOCAL tidemark.workspace = '${workspace}'`, async (connection) => {
          const tables = await connection.query(
            `SELECT c.oid::regclass::text AS name FROM pg_class c
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'
             WHERE c.relkind IN ('r', 'p') AND starts_with(c.relname, 'tidemark_')`,
          );
          const seen: string[] = [];
          for (const { name } of tables) {
            const found = await connection.query(`SELECT 1 FROM ${String(name)} WHERE workspace = $1 LIMIT 1`, [home]);
            if (found.length > 0) seen.push(String(name));
          }
          return seen.toSorted();
        });
      const own = await look(home);
      expect(own.length).toBeGreaterThan(6);
      expect(own).toContain("tidemark_messages");
      // Parts are reached through their tables alone.
      expect(own.filter((name) => /_\d+$/.test(name))).toEqual([]);
      expect(await look("another")).toEqual([]);
      await expect(
        engine.transaction("BEGIN; SET LOCAL tidemark.workspace = 'another'", (connection) =>
          connection.query("INSERT INTO tidemark_documents VALUES ($1, 'docs/x.md', ''::bytea, 1, clock_timestamp())", [
            home,
          ]),
        ),
      ).rejects.toThrow(/row-level security/);
      await expect(createTenant(engine, "another").query("SELECT 1 FROM tidemark_messages")).rejects.toThrow(
        /without its workspace/,
      );
    });
  });
}
