import { defineConfig } from "vitest/config";

/** What takes long even in its short form: kills, faults, worst cases, the great corpora. */
export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts", "test/**/*.slow.test.ts"],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts", "test/support/own-cache.ts"],
  },
});
