import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** The store over a real PostgreSQL, which test/postgres/run-tests.ts starts. */
export default defineConfig({
  test: {
    include: [
      "test/store/**/*.test.ts",
      "test/postgres/**/*.test.ts",
      "test/cli/edit.test.ts",
      "test/crash/kill.test.ts",
      "test/crash/queue.test.ts",
    ],
    // Most of them wait for processes that they started.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 180_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts", "test/support/own-cache.ts"],
  },
});
