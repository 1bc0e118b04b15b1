import { defineConfig } from "vite";

/** The page is built into the package; nothing of it is fetched from elsewhere, and nothing stands inline. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/ui",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  logLevel: "warn",
});
