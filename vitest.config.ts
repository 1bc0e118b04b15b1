import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // These have commands of their own: test:ui needs a browser; test:slow and test:crash need minutes; test:clients
    // and test:newcomer install packages; test:postgres needs a server.
    exclude: [
      ...configDefaults.exclude,
      "test/ui/browser/**",
      "test/clients/**",
      "test/crash/**",
      "test/newcomer/**",
      "test/postgres/**",
      "test/**/*.slow.test.ts",
    ],
    // Four more than cores: much of the time a test waits for a process that it started, and beside other work on a busy
    // machine the tests get their share of it.
    maxWorkers: availableParallelism() + 4,
    // A worker loads our modules once and not for every file: that was a quarter of the time. No test may need it otherwise.
    isolate: false,
    // Processes that a test starts from src/ find their modules compiled: that is most of what such a process costs.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts", "test/support/own-cache.ts"],
  },
});
