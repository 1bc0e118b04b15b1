import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// One project for each command that runs tests. A suffix takes a file out of `npm test`, because it needs minutes or a
// machine of its own (kill.crash.test.ts). A line `// @module-tag long` lets a file run in that project as well.
const SUFFIXES = ["slow", "crash", "pg", "browser", "clients", "newcomer", "package"];
const TAGS = ["long", "stores", "postgres", "newcomer"];

const SEEDS = "test/support/fixed-seeds.ts";
const OWN_CACHE = "test/support/own-cache.ts";
const PACK = "test/package/pack-once.ts";
const CORES = availableParallelism();

const PROJECTS = [
  {
    name: "fast",
    include: ["test/**/*.test.ts"],
    exclude: [`test/**/*.{${SUFFIXES.join(",")}}.test.ts`],
    // Much of the time a test waits for a process that it started.
    maxWorkers: CORES + 4,
    // A worker loads our modules once and not for every file: that was a quarter of the time. No test may need it otherwise.
    isolate: false,
    // Processes that a test starts from src/ find their modules compiled: that is most of what such a process costs.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    testTimeout: 60_000,
    setupFiles: [SEEDS, OWN_CACHE],
  },
  {
    // What takes long even in its short form: kills, faults, worst cases, large corpora.
    name: "slow",
    include: ["test/**/*.{slow,crash}.test.ts"],
    maxWorkers: 2,
    testTimeout: 300_000,
    setupFiles: [SEEDS, OWN_CACHE],
  },
  {
    // Kills and faults in their long form.
    name: "crash",
    include: ["test/**/*.crash.test.ts"],
    testTimeout: 1_200_000,
    env: {
      TIDEMARK_KILLS: "200",
      TIDEMARK_SAVES: process.env["TIDEMARK_SAVES"] ?? "320",
      TIDEMARK_FAULTS: "all",
      TIDEMARK_JOBS: "500",
      TIDEMARK_BLOWS: process.env["TIDEMARK_BLOWS"] ?? "400",
    },
  },
  {
    // The properties, ten times as often (or as TIDEMARK_TEST_TIMES says) and with seeds of their own.
    name: "long",
    include: tagged("long"),
    env: { TIDEMARK_TEST_TIMES: process.env["TIDEMARK_TEST_TIMES"] ?? "10" },
    testTimeout: 1_800_000,
    setupFiles: [SEEDS, OWN_CACHE],
  },
  {
    // The store over a real PostgreSQL, which test/postgres/run-tests.ts starts.
    name: "postgres",
    include: ["test/**/*.pg.test.ts", "test/store/**/*.test.ts", ...tagged("postgres")],
    maxWorkers: CORES + 1,
    testTimeout: 180_000,
    setupFiles: [SEEDS, OWN_CACHE],
  },
  {
    // The suites that keep to the public face, and the shipped command line, over the store that TIDEMARK_TEST_STORE
    // names. They look at what is kept by test/support/kept.ts; single tests of the folder itself say so by `ofFolder`.
    name: "stores",
    include: tagged("stores"),
    testTimeout: 180_000,
    setupFiles: [SEEDS, OWN_CACHE, "test/support/over-store.ts"],
  },
  {
    // The inspector in a real browser. CHROMIUM names it; /usr/bin/chromium otherwise.
    name: "browser",
    include: ["test/**/*.browser.test.ts"],
    // Generous: a busy machine is slow, not wrong.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // One browser at a time: several would only measure how many cores there are.
    fileParallelism: false,
  },
  {
    // Real clients from npm against a scripted model. TIDEMARK_CLIENTS says where they are installed.
    name: "clients",
    include: ["test/**/*.clients.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One at a time: they are large programs, and their hooks have seconds.
    fileParallelism: false,
  },
  {
    // What is shipped: packed, installed alone and with each optional peer, and every command and every block of the
    // documents run from there. Needs the npm registry and PostgreSQL.
    name: "package",
    include: ["test/**/*.package.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    globalSetup: PACK,
  },
  {
    // What a newcomer does, in a real terminal, from a tarball and from a clone. Needs tmux, git, bash and the npm registry.
    name: "newcomer",
    include: ["test/**/*.newcomer.test.ts", ...tagged("newcomer")],
    testTimeout: 900_000,
    fileParallelism: false,
    globalSetup: PACK,
  },
];

export default defineConfig({
  test: {
    hookTimeout: 60_000,
    tags: TAGS.map((name) => ({ name })),
    // Without a name, `vitest run FILE` runs what `npm test` does, and once.
    projects: PROJECTS.filter(
      ({ name }) => process.argv.some((word) => word.startsWith("--project")) || name === "fast",
    ).map((test) => ({ extends: true, test })),
  },
});

/** The files that ask to run in a project as well. */
function tagged(tag: string): string[] {
  const line = new RegExp(`^// @module-tag ${tag}$`, "m");
  return globSync("test/**/*.test.ts", { cwd: import.meta.dirname }).filter((path) =>
    line.test(readFileSync(join(import.meta.dirname, path), "utf8")),
  );
}
