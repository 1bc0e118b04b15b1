import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // These have commands of their own: test:ui needs a browser; test:slow and test:crash need minutes; test:clients
    // installs real clients.
    exclude: [
      ...configDefaults.exclude,
      "test/ui/browser/**",
      "test/clients/**",
      "test/crash/**",
      "test/**/*.slow.test.ts",
    ],
    // One worker fewer than cores would leave a small machine with one.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts"],
  },
});
