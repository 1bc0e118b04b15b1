import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs the tests of the store over a real PostgreSQL: a server of its own, on a free port and in a folder of its own,
 * as a user who is not root, reached by a role that owns nothing but its database.
 */
const bin = findBinaries();
const folder = mkdtempSync(join(tmpdir(), "tidemark-postgres-"));
const owner = process.getuid?.() === 0 ? findUser("postgres") : undefined;
if (owner) chownSync(folder, owner.uid, owner.gid);
const port = await freePort();
const run = (program: string, ...args: string[]) =>
  execFileSync(join(bin, program), args, { ...owner, cwd: folder, stdio: ["ignore", "ignore", "inherit"] });

const data = join(folder, "data");
run("initdb", "-D", data, "-U", "owner", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8");
const options = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
const server = spawn(join(bin, "postgres"), options, { ...owner, cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
let code = 1;
try {
  await untilReady();
  const psql = (command: string) =>
    run("psql", "-h", folder, "-p", String(port), "-U", "owner", "-d", "postgres", "-qc", command);
  psql("CREATE ROLE tidemark LOGIN PASSWORD 'tidemark'");
  psql("CREATE DATABASE tidemark OWNER tidemark");
  const vitest = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "test/store", ...process.argv.slice(2)],
    {
      stdio: "inherit",
      env: { ...process.env, TIDEMARK_TEST_POSTGRES: `postgres://tidemark:tidemark@127.0.0.1:${port}/tidemark` },
    },
  );
  code = await new Promise((resolve) => vitest.once("close", (status) => resolve(status ?? 1)));
} finally {
  server.kill("SIGINT");
  await new Promise((resolve) => server.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = code;

function findBinaries(): string {
  const places = "/usr/lib/postgresql";
  const versions = existsSync(places) ? readdirSync(places).toSorted((one, other) => Number(other) - Number(one)) : [];
  const found = versions
    .map((version) => join(places, version, "bin"))
    .find((path) => existsSync(join(path, "initdb")));
  if (found === undefined) throw new Error("There is no PostgreSQL here: apt-get install postgresql");
  return found;
}

function findUser(name: string): { uid: number; gid: number } {
  const idOf = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function untilReady(): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      run("pg_isready", "-q", "-h", folder, "-p", String(port));
      return;
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
