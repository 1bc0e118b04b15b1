import { defineConfig } from "vitest/config";

/** The inspector in a real browser: `npm run test:ui`. Needs Chromium (CHROMIUM names it; /usr/bin/chromium otherwise). */
export default defineConfig({
  test: {
    include: ["test/ui/browser/**/*.test.ts"],
    // Generous: a busy machine is slow, not wrong.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // One browser at a time: several would only measure how many cores there are.
    fileParallelism: false,
  },
});
