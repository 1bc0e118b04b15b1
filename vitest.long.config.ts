import { defineConfig } from "vitest/config";

// The properties, ten times as often (or as TIDEMARK_TEST_TIMES says) and with seeds of their own.
export default defineConfig({
  test: {
    include: [
      "test/change/*.test.ts",
      "test/trust/history.property.test.ts",
      "test/session/{log,new-messages,replay}.test.ts",
      "test/life/{tidy,summary}.test.ts",
      "test/cli/read-date.test.ts",
      "test/cli/terminal/{markdown,terminal-input,word-wrap}.test.ts",
      "test/belief/believes.test.ts",
      "test/connect/{connections,strange-files}.test.ts",
      "test/import/{doors,hostile}.test.ts",
      "test/memory-tool/same-as-sdk.test.ts",
      "test/model/{static-embedder,word-list,word-piece}.test.ts",
      "test/search/{open-search,passages,tokenise}.test.ts",
      "test/server/{in-order,round-trip}.test.ts",
      "test/state-growth.test.ts",
      "test/ui/visible-text.test.ts",
    ],
    env: { TIDEMARK_TEST_TIMES: process.env["TIDEMARK_TEST_TIMES"] ?? "10" },
    setupFiles: ["test/support/fixed-seeds.ts", "test/support/own-cache.ts"],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
});
