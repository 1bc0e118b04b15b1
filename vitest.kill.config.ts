import { defineConfig } from "vitest/config";

/** Kills while a person edits in every way, facts come and are forgotten; TIDEMARK_BLOWS says how many. */
export default defineConfig({
  test: { include: ["test/kill/**/*.test.ts"], testTimeout: 1_200_000 },
});
