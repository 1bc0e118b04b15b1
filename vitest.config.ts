import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // These need a browser, and have a command of their own: npm run test:ui.
    exclude: [...configDefaults.exclude, "test/ui/browser/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ["test/support/fixed-seeds.ts"],
  },
});
