import { spawn } from "node:child_process";
import { startPostgres } from "./postgres-server.ts";
import { runChaos } from "./chaos.ts";

/**
 * Runs the tests of the store over a PostgreSQL of their own, then the suites of the public face over it, then the bad
 * days. `--quick` has 15 seconds of those instead of 60, few kills and jobs, and leaves the suites out; other arguments go
 * to vitest, and leave the rest out.
 */
const [first, ...rest] = process.argv.slice(2);
const isQuick = first === "--quick";
const chosen = isQuick ? rest : process.argv.slice(2);
const isWhole = chosen.length === 0;
const KILLS = isQuick
  ? { TIDEMARK_KILLS: "5", TIDEMARK_JOBS: "20" }
  : { TIDEMARK_KILLS: process.env["TIDEMARK_KILLS"] ?? "200", TIDEMARK_JOBS: process.env["TIDEMARK_JOBS"] ?? "500" };
const postgres = await startPostgres(["max_connections=200"]);
try {
  const steps = [
    () => runVitest("postgres", { ...KILLS, TIDEMARK_TEST_POSTGRES: postgres.url }, chosen),
    ...(isWhole && !isQuick
      ? [() => runVitest("stores", { TIDEMARK_TEST_STORE: `${postgres.url}?pool_size=4` }, [])]
      : []),
    ...(isWhole ? [() => runChaos(postgres, isQuick ? { seconds: 15 } : {})] : []),
  ];
  // All of them, also after one that failed: each tells something else.
  const results: boolean[] = [];
  for (const step of steps) results.push(await step());
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  await postgres.stop();
}

function runVitest(project: string, more: Readonly<Record<string, string>>, args: readonly string[]): Promise<boolean> {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", project, ...args];
  const child = spawn(process.execPath, vitest, { stdio: "inherit", env: { ...process.env, ...more } });
  return new Promise((resolve) => child.once("close", (code) => resolve(code === 0)));
}
