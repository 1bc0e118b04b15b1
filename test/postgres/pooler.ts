import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort, PASSWORD } from "./postgres-server.ts";

const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) =>
  existsSync(path),
);

/** Whether there is a PgBouncer on this machine. */
export const hasPooler = PROGRAM !== undefined;

/** Starts a PgBouncer before a database, with no setting of ours; its port. */
export async function startPooler(databaseUrl: string, mode: "session" | "transaction" | "statement"): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-pooler-"));
  const port = await freePort();
  const { port: databasePort, username } = new URL(databaseUrl);
  writeFileSync(join(folder, "users.txt"), `"${username}" "${PASSWORD}"\n`);
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    [
      "[databases]",
      `tidemark = host=127.0.0.1 port=${databasePort} dbname=tidemark`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      "auth_type = scram-sha-256",
      `auth_file = ${join(folder, "users.txt")}`,
      `pool_mode = ${mode}`,
      // Fewer than those who come: they share.
      "default_pool_size = 3",
      "max_client_conn = 100",
      "unix_socket_dir =",
      `logfile = ${join(folder, "log")}`,
    ].join("\n"),
  );
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? userIds("postgres") : undefined;
  if (owner)
    for (const path of [folder, join(folder, "users.txt"), join(folder, "pgbouncer.ini")])
      chownSync(path, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const child = spawn(PROGRAM ?? "", [join(folder, "pgbouncer.ini")], { ...owner, stdio: "ignore" });
  onTestFinished(() => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await canConnect(port))) await new Promise((resolve) => setTimeout(resolve, 50));
  return port;
}

function userIds(name: string): { uid: number; gid: number } {
  const idOf = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.end() !== undefined));
    socket.once("error", () => resolve(false));
  });
}
