import { defineConfig } from "vitest/config";

/** The long form of the crash tests; `npm run test:slow` runs them in a short form. */
export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts"],
    testTimeout: 1_200_000,
    env: {
      TIDEMARK_KILLS: "200",
      TIDEMARK_SAVES: process.env["TIDEMARK_SAVES"] ?? "320",
      TIDEMARK_FAULTS: "all",
      TIDEMARK_JOBS: "500",
      TIDEMARK_BLOWS: process.env["TIDEMARK_BLOWS"] ?? "400",
    },
  },
});
