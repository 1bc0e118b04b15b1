import { defineConfig } from "vitest/config";

/**
 * The suites that open a memory and keep to its public face, and the shipped command line, over the store that
 * TIDEMARK_TEST_STORE names. They look at what is kept by test/support/kept.ts; single tests of the folder itself say so
 * by `ofFolder`. What is not here is about the folder, about no store, or about other programs.
 */
export default defineConfig({
  test: {
    include: [
      "test/agent/{commands,doubts,tools,turn}.test.ts",
      "test/ai-sdk/{versions,with-memory}.test.ts",
      "test/change/{heart,outside-edits}.test.ts",
      "test/cli/{consolidate,lists,sessions,status,tool}.test.ts",
      "test/consolidation/{bounds,count,digest,reviewed,save-memory,tokens}.test.ts",
      "test/context/system-prompt.test.ts",
      "test/door/{client-talk,two-doors}.test.ts",
      "test/import/{dates,doors,exports,import-from,nanobot,real}.test.ts",
      "test/life/{flush,idle,session-note,summary,tidy,time,wrong-clock}.test.ts",
      "test/mcp/{http,scope,stdio}.test.ts",
      "test/memory-tool/memory-tool.test.ts",
      "test/recall/{asked-before,ranker,recall,standing-wish}.test.ts",
      "test/search/{command,concepts,in-slices,rarity,record-text,search}.test.ts",
      "test/server/{app,belonging,chat,clients,command,inspector,inspector-undo,item-references}.test.ts",
      "test/server/{resent-history,tokens,untranslatable,watch,wires}.test.ts",
      "test/session/{once,replay,rotate,session}.test.ts",
      "test/trace.test.ts",
      "test/trust/{cli,forget,forget-parts,forget-under-way,history.property,injection,lineage}.test.ts",
      "test/trust/{origin-doors,replay,review,scopes,secrets,steering-files,trace}.test.ts",
    ],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    setupFiles: ["test/support/fixed-seeds.ts", "test/support/own-cache.ts", "test/support/over-store.ts"],
  },
});
