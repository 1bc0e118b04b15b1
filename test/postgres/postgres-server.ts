import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A word that nothing else says: where it is found, a password is. */
export const PASSWORD = "tide-and-pa55w0rd";

/** A PostgreSQL of a test's own. */
export interface PostgresServer {
  /** For a role that owns its database and nothing else. */
  readonly url: string;
  /** Whether vectors can be searched by the database; else why not. */
  /** Its port, the folder of its socket, and the one who may do everything there: for tests of the server itself. */
  readonly port: number;
  readonly folder: string;
  /** A statement of whoever owns the server; what it prints. */
  psql(database: string, command: string): string;
  /** The processor time that its processes have taken so far. */
  cpuMs(): number;
  /** Stops it as an operator would in a hurry, connections or not, and starts it again. */
  restart(): Promise<void>;
  /** Ends it at once, as a power failure would; `begin` starts it again. */
  crash(): Promise<void>;
  begin(): Promise<void>;
  /** Makes a standby a server of its own. */
  promote(): void;
  /** Stops it and removes all that it left. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL: on a free port, in a folder of its own, as a user who is not root, with commits that are
 * on the disk when they are answered. It dies with this process at the latest. With `primary` it is that one's standby.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  primary?: PostgresServer,
): Promise<PostgresServer> {
  const bin = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), "tidemark-postgres-"));
  let server: ChildProcess | undefined;
  const abandon = (): void => {
    server?.kill("SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", abandon);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave);
  const owner = process.getuid?.() === 0 ? findUser("postgres") : undefined;
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const port = await freePort();
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), args, {
      ...owner,
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
    });
  const data = join(folder, "data");
  const own = ["--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8"];
  if (primary === undefined) run("initdb", "-D", data, "-U", "owner", ...own);
  else
    run(
      "pg_basebackup",
      "-h",
      primary.folder,
      "-p",
      String(primary.port),
      "-U",
      "owner",
      "-D",
      data,
      "-R",
      "-c",
      "fast",
    );
  const options = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const more = settings.flatMap((setting) => ["-c", setting]);
  const begin = (): ChildProcess =>
    spawn(join(bin, "postgres"), [...options, ...more], { ...owner, cwd: folder, stdio: "ignore" });
  const isReady = () => {
    try {
      run("pg_isready", "-q", "-h", folder, "-p", String(port));
      return true;
    } catch {
      return false;
    }
  };
  server = begin();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const closed = new Promise((resolve) => server?.once("close", resolve));
    server?.kill(signal);
    await closed;
  };
  await until(isReady);
  const psql = (database: string, command: string) =>
    run(
      "psql",
      "-h",
      folder,
      "-p",
      String(port),
      "-U",
      "owner",
      "-d",
      database,
      "-v",
      "ON_ERROR_STOP=1",
      "-qAtc",
      command,
    );
  if (primary === undefined) {
    psql("postgres", `CREATE ROLE tidemark LOGIN PASSWORD '${PASSWORD}'`);
    psql("postgres", "CREATE DATABASE tidemark OWNER tidemark");
  }
  return {
    url: `postgres://tidemark:${PASSWORD}@127.0.0.1:${port}/tidemark`,
    port,
    folder,
    psql,
    cpuMs: () => cpuMsBelow(server?.pid ?? 0),
    async restart() {
      await end("SIGINT");
      server = begin();
      await until(isReady);
    },
    crash: () => end("SIGQUIT"),
    async begin() {
      server = begin();
      await until(isReady);
    },
    promote: () => void run("pg_ctl", "promote", "-D", data),
    async stop() {
      process.off("exit", abandon).off("SIGINT", leave).off("SIGTERM", leave);
      if (server?.exitCode === null && server.signalCode === null) await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A signal alone would end this process without its last duties. */
function leave(): void {
  process.exit(130);
}

/** The processor time of a process's children, by what the kernel counts. */
function cpuMsBelow(parent: number): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  // Those that have ended are counted with their parent.
  return pids.reduce(
    (sum, pid) => {
      const { parent: of, ms } = readStat(pid) ?? { parent: 0, ms: 0 };
      return of === parent ? sum + ms : sum;
    },
    readStat(String(parent))?.endedMs ?? 0,
  );
}

/** What the kernel says of a process; undefined where it is gone. Times are in hundredths of a second. */
function readStat(pid: string): { parent: number; ms: number; endedMs: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const sum = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * 10;
    return { parent: Number(fields[1]), ms: sum(11), endedMs: sum(13) };
  } catch {
    return undefined;
  }
}

/** The newest PostgreSQL that is installed, in Debian's place or on the path. */
function findBinaries(): string {
  const places = "/usr/lib/postgresql";
  const versions = existsSync(places) ? readdirSync(places).toSorted((one, other) => Number(other) - Number(one)) : [];
  const folders = [
    ...versions.map((version) => join(places, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  const found = folders.find((path) => existsSync(join(path, "initdb")));
  if (found === undefined) throw new Error("There is no PostgreSQL here: apt-get install postgresql");
  return found;
}

function findUser(name: string): { uid: number; gid: number } {
  const idOf = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    if (tries > 600) throw new Error("PostgreSQL does not answer");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
