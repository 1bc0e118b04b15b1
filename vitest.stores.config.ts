import { defineConfig } from "vitest/config";

/** The suites that keep to the public face, over the store that TIDEMARK_TEST_STORE names. */
export default defineConfig({
  test: {
    include: [
      "test/agent/doubts.test.ts",
      "test/change/{plan-proposal,properties}.test.ts",
      "test/consolidation/tokens.test.ts",
      "test/door/*.test.ts",
      "test/mcp/scope.test.ts",
      "test/server/{app,belonging,wires}.test.ts",
    ],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts"],
  },
});
