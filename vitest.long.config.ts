import { defineConfig } from "vitest/config";

// The properties, ten times as often and with seeds of their own.
export default defineConfig({
  test: {
    include: [
      "test/change/*.test.ts",
      "test/trust/history.property.test.ts",
      "test/session/replay.test.ts",
      "test/life/{tidy,summary}.test.ts",
      "test/cli/terminal/markdown.test.ts",
    ],
    env: { TIDEMARK_TEST_TIMES: "10" },
    setupFiles: ["test/support/fixed-seeds.ts"],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
});
