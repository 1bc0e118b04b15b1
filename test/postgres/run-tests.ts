import { spawn } from "node:child_process";
import { startPostgres } from "./postgres-server.ts";
import { runChaos } from "./chaos.ts";

/**
 * Runs the tests of the store over a PostgreSQL of their own, then the bad days. `--quick` has 15 seconds of those
 * instead of 60, and leaves the kills and the queue out; other arguments go to vitest, and leave the bad days out.
 */
const [first, ...rest] = process.argv.slice(2);
const isQuick = first === "--quick";
const chosen = isQuick ? rest : process.argv.slice(2);
const passedOver = isQuick ? ["--exclude", "test/crash/**"] : [];
const postgres = await startPostgres(["max_connections=200"]);
try {
  if (postgres.pgvector !== true) console.log(`without pgvector, by keywords alone: ${postgres.pgvector}`);
  const isGood = await runVitest(postgres.url, [...chosen, ...passedOver]);
  const isCalm = chosen.length > 0 || (await runChaos(postgres, isQuick ? { seconds: 15 } : {}));
  process.exitCode = isGood && isCalm ? 0 : 1;
} finally {
  await postgres.stop();
}

function runVitest(url: string, args: readonly string[]): Promise<boolean> {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.postgres.config.ts", ...args];
  const env = { ...process.env, TIDEMARK_TEST_POSTGRES: url };
  const child = spawn(process.execPath, vitest, { stdio: "inherit", env });
  return new Promise((resolve) => child.once("close", (code) => resolve(code === 0)));
}
