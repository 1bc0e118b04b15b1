import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Debian's pool keeps the source of what it packages; the versions that were there in November 2026, newest first.
const VERSIONS = ["0.8.2", "0.8.0"];
const POOL = "http://deb.debian.org/debian/pool/main/p/pgvector";

/**
 * Makes pgvector available to the PostgreSQL whose programs lie in `bin`: true where it is there, or could be built
 * from Debian's source; else why not. Building needs its headers, a compiler, and the right to write where it lies.
 */
export function installPgvector(bin: string): true | string {
  const config = join(bin, "pg_config");
  if (!existsSync(config)) return "no pg_config: apt-get install postgresql-server-dev-15";
  const ask = (flag: string) => execFileSync(config, [flag], { encoding: "utf8" }).trim();
  const isThere = () => existsSync(join(ask("--sharedir"), "extension/vector.control"));
  if (isThere()) return true;
  if (!existsSync(join(ask("--includedir-server"), "postgres.h")))
    return "no headers: apt-get install postgresql-server-dev-15";
  const folder = mkdtempSync(join(tmpdir(), "tidemark-pgvector-"));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: "pipe", timeout: 300_000 });
  try {
    if (!VERSIONS.some((version) => fetchSource(run, version))) return `its source is not at ${POOL}`;
    // Not for this processor alone: what is built may be kept for another.
    run("make", "-j2", `PG_CONFIG=${config}`, "OPTFLAGS=");
    run("make", "install", `PG_CONFIG=${config}`);
    return isThere() ? true : "it was built, and is not where it should be";
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    return `it could not be built: ${said.trim().split("\n").at(-1)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fetchSource(run: (program: string, ...args: string[]) => unknown, version: string): boolean {
  const archive = `pgvector_${version}.orig.tar.gz`;
  try {
    run("curl", "-sSf", "--max-time", "60", "-o", archive, `${POOL}/${archive}`);
    run("tar", "-xzf", archive, "--strip-components=1");
    return true;
  } catch {
    return false;
  }
}
