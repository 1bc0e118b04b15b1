import { defineConfig } from "vitest/config";

/** Real clients from npm against a scripted model: `npm run test:clients`. TIDEMARK_CLIENTS says where they are installed. */
export default defineConfig({
  test: {
    include: ["test/clients/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One at a time: they are large programs, and their hooks have seconds.
    fileParallelism: false,
  },
});
