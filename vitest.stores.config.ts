import { defineConfig } from "vitest/config";

/**
 * The suites that open a memory and keep to its public face, over the store that TIDEMARK_TEST_STORE names. What is not
 * here looks into the folder itself; test/support/documents.ts has what it would ask instead.
 */
export default defineConfig({
  test: {
    include: [
      "test/agent/doubts.test.ts",
      "test/ai-sdk/versions.test.ts",
      "test/consolidation/{digest,tokens}.test.ts",
      "test/door/{client-talk,two-doors}.test.ts",
      "test/import/{doors,import-from}.test.ts",
      "test/life/{time,wrong-clock}.test.ts",
      "test/mcp/scope.test.ts",
      "test/server/{app,belonging,chat,inspector,inspector-undo,tokens,watch,wires}.test.ts",
      "test/session/replay.test.ts",
      "test/trace.test.ts",
      "test/trust/lineage.test.ts",
    ],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts"],
  },
});
