import { defineConfig } from "vitest/config";

/**
 * What a newcomer does, in a real terminal, from a tarball and from a clone; and every block of the documents, run. Needs
 * tmux, git, bash and the npm registry: `npm run test:newcomer`.
 */
export default defineConfig({
  test: {
    include: ["test/newcomer/*.test.ts", "test/docs/run-documents.long.ts"],
    testTimeout: 900_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
