import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // These need a browser, and have a command of their own: npm run test:ui.
    // Nor real clients from npm: npm run test:clients.
    exclude: [...configDefaults.exclude, "test/ui/browser/**", "test/clients/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ["test/support/fixed-seeds.ts"],
  },
});
