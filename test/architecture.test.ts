import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

/** What each part may import, besides the ground that everyone stands on. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  language: [],
  belief: ["model"],
  store: ["session", "files", "state", "search", "model"],
  session: [],
  files: ["session"],
  state: [],
  model: [],
  change: ["belief", "session", "files", "model", "state", "search", "context"],
  consolidation: ["belief", "session", "files", "model", "state", "change"],
  life: ["session", "files", "model", "state", "change", "consolidation"],
  search: ["session", "files", "model"],
  recall: ["search", "session", "files", "model"],
  context: ["session", "files", "recall", "model", "change"],
  agent: ["belief", "memory", "door", "model", "session", "files", "context", "recall", "change", "state"],
  trust: ["session", "files", "state", "model", "change", "search", "context"],
  import: ["memory", "session", "files", "change", "door"],
  export: ["memory", "session", "files", "state", "change"],
  "memory-tool": ["memory", "files", "change"],
  door: ["memory", "context", "recall", "session", "files", "model", "change", "state"],
  mcp: ["door", "memory", "recall", "files", "model", "session", "change"],
  server: ["door", "memory", "session", "files", "model", "change", "recall", "state", "trust"],
  connect: ["store"],
  hook: ["door", "memory", "import", "context", "recall", "session", "files", "store"],
  ui: ["server"],
  "ai-sdk": ["choose-store", "door", "memory", "recall", "session"],
};
const GROUND = new Set([
  "errors",
  "config",
  "config-schema",
  "config-text",
  "time",
  "trace",
  "nearest",
  "visible-text",
  "parse-if-json",
  "open-once",
  "layout",
  "shipped",
  "system-timezone",
  "language",
]);
/** What every stage is handed: types alone, so that they may speak of all that lies upstream. */
const SHARED = new Set(["workspace", "outcome", "store"]);
/** The implementations of the store; whoever names one of them knows what stands behind the seam. */
const BEHIND_THE_SEAM = /^store\/(?:files|postgres)\//;
const MAY_NAME_AN_IMPLEMENTATION: readonly (readonly [RegExp, string])[] = [
  [/^(?:open-(?:workspace|lookup|store)|choose-store)\.ts$/, "the wiring: opens the store"],
  [/^export\//, "a backup is of the folder itself, an export is a folder"],
  [/^cli\/checks\//, "the doctor examines the folder of the files store: permissions, databases, leftovers"],
  [/^cli\/create-workspace\.ts$/, "init makes the folder"],
  [/^cli\/commands\/migrate\.ts$/, "brings the tables of a database up to date"],
  [/^cli\/(?:config-file|edit-config-by-hand)\.ts$/, "puts the configuration file in its place"],
  [/^cli\/terminal\/(?:keep-words|line-editor)\.ts$/, "keeps what is typed where the memory cannot be opened"],
  [/^cli\/commands\/import\.ts$/, "removes the marker of an import that was broken off, from the disk"],
  [/^import\/with-copy\.ts$/, "reads other programs' databases"],
  [/^hook\/run-host\.ts$/, "one process a workspace answers the hooks: it holds a lock of the folder"],
  [/^connect\/write-change\.ts$/, "replaces a client's file in one step"],
];
/** Above the seam these alone touch the disk, each for something that is no part of what the store keeps. */
const MAY_TOUCH_THE_DISK: readonly (readonly [RegExp, string])[] = [
  [/^config\.ts$/, "reads the configuration before anything is opened"],
  [/^system-timezone\.ts$/, "asks the system for its time zone"],
  [/^language\/packs\.ts$/, "reads the shipped language packs"],
  [/^belief\/(?:reader|ideas)\.ts$/, "reads the shipped weights and words"],
  [/^model\//, "reads word tables and models that ship with the program or were downloaded"],
  [/^recall\/rank-model\.ts$/, "reads the shipped ranking model"],
  [/^search\/other-words\.ts$/, "reads the shipped list of words"],
  [/^context\/skills\.ts$/, "reads the shipped skills"],
  [/^server\/tokens\.ts$/, "reads the file of tokens that the operator names"],
  [/^server\/inspector\/page-files\.ts$/, "reads the shipped page"],
  [/^session\/read-lines\.ts$/, "reads a file that someone imports"],
  [/^import\//, "reads other programs' files"],
  [/^export\//, "a backup is of the folder itself, an export is a folder"],
  [/^trust\/replay\.ts$/, "a replay rebuilds memory in a folder of its own"],
  [/^agent\/exec\//, "commands run in a folder"],
  [/^hook\//, "hooks leave calls, and what went wrong with them, in a folder of their own, with nothing opened"],
  [/^connect\//, "reads and writes the clients' files"],
  [/^cli\//, "the command line reads what it is given, and examines folders"],
];
/** The only files that wire the stages together. */
const WIRING = new Set([
  "memory",
  "lazy-changes",
  "open-workspace",
  "open-recall",
  "open-lookup",
  "choose-store",
  "open-store",
  "open-records",
  "index",
  "workspace",
  "outcome",
]);

/** Each outside package that could be replaced has one owner, or one part that owns it. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["store"],
  pg: ["store"],
  commander: ["cli"],
  "@ai-sdk/provider": ["model", "ai-sdk"],
  "@ai-sdk/openai-compatible": ["model"],
  "@ai-sdk/anthropic": ["model"],
  "@ai-sdk/openai": ["model"],
  "@ai-sdk/google": ["model"],
  ai: ["model", "ai-sdk"],
  hono: ["server"],
  "prom-client": ["server"],
  "@opentelemetry/api": ["trace"],
  "@hono/node-server": ["server"],
  "@modelcontextprotocol/server": ["mcp"],
  "markdown-it": ["change"],
  diff: ["change", "ui"],
  yauzl: ["import"],
  yaml: ["config", "config-text", "context", "change", "connect", "cli"],
  "jsonc-parser": ["config", "config-text", "cli", "connect"],
  "smol-toml": ["connect"],
  "fast-wrap-ansi": ["cli"],
  "fast-string-width": ["cli"],
};

interface Import {
  file: string;
  part: string;
  target: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));

function partOf(file: string): string {
  const [first = ""] = file.split("/");
  return first.replace(/\.tsx?$/, "");
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = text.matchAll(
    /(?:^|\s)(?:import|export)\s[^"';]*?from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm,
  );
  return [...found].map((match) => ({ file, part: partOf(file), target: match[1] ?? match[2] ?? match[3] ?? "" }));
}

function isListed(list: readonly (readonly [RegExp, string])[], file: string): boolean {
  return list.some(([pattern]) => pattern.test(file));
}

const imports = files.flatMap((file) => importsOf(file));

describe("the house", () => {
  it("has read its own imports", () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.length).toBeGreaterThan(100);
  });

  it("lets no one import the command line", () => {
    expect(imports.filter(({ part, target }) => part !== "cli" && /(?:^|\/)cli\//.test(target))).toEqual([]);
  });

  it("lets a part import only what lies upstream of it", () => {
    const wrong = imports.filter(({ file, part, target }) => {
      // The command line is the door to all of it.
      if (!target.startsWith(".") || WIRING.has(part) || part === "cli") return false;
      const targetPart = partOf(relative(SRC, resolve(dirname(join(SRC, file)), target)));
      if (targetPart === part || GROUND.has(targetPart) || SHARED.has(targetPart)) return false;
      return GROUND.has(part) || !(MAY_IMPORT[part] ?? []).includes(targetPart);
    });
    expect(wrong).toEqual([]);
  });

  it("has no folder that the table does not know, and no catch-all names", () => {
    const parts = new Set(files.filter((file) => file.includes("/")).map(partOf));
    expect([...parts].filter((part) => part !== "cli" && !GROUND.has(part) && !(part in MAY_IMPORT))).toEqual([]);
    expect(files.filter((file) => /(?:^|\/)(?:utils?|helpers?|common|types|manager|service)\b/.test(file))).toEqual([]);
    expect(files.filter((file) => /(?:^|\/)store\b/.test(file.replace(/^store\/(?:store\.ts$)?/, "")))).toEqual([]);
    expect(files.filter((file) => file.endsWith("/index.ts"))).toEqual([]);
  });

  it("keeps each outside package with its owner", () => {
    const wrong = imports.filter(({ part, target }) => {
      const name = Object.keys(OWNERS).find((owned) => target === owned || target.startsWith(`${owned}/`));
      return name !== undefined && !(OWNERS[name] ?? []).includes(part);
    });
    expect(wrong).toEqual([]);
  });

  it("knows only below the seam what the store is", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!target.startsWith(".") || BEHIND_THE_SEAM.test(file)) return false;
      const place = relative(SRC, resolve(dirname(join(SRC, file)), target));
      return BEHIND_THE_SEAM.test(place) && !isListed(MAY_NAME_AN_IMPLEMENTATION, file);
    });
    expect(wrong).toEqual([]);
  });

  it("touches the disk below the seam, and above it for a reason that is written down", () => {
    const touching = imports.filter(({ target }) => /^node:(?:fs|sqlite)\b/.test(target)).map(({ file }) => file);
    expect(touching.filter((file) => !BEHIND_THE_SEAM.test(file) && !isListed(MAY_TOUCH_THE_DISK, file))).toEqual([]);
    const idle = MAY_TOUCH_THE_DISK.filter(([pattern]) => !touching.some((file) => pattern.test(file)));
    expect(idle).toEqual([]);
  });

  it("speaks SQL below the seam alone", () => {
    const speaking = files.filter((file) =>
      /\b(?:SELECT [\w*(].{0,200}? FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM) /s.test(
        readFileSync(join(SRC, file), "utf8"),
      ),
    );
    expect(speaking.length).toBeGreaterThan(5);
    // Importers ask other programs' databases, in copies of their own.
    const above = speaking.filter((file) => !BEHIND_THE_SEAM.test(file) && !file.startsWith("import/"));
    expect(above).toEqual([]);
  });

  it("reads the environment in the configuration and the command line alone", () => {
    const readers = files.filter((file) => readFileSync(join(SRC, file), "utf8").includes("process.env"));
    expect(readers.filter((file) => !["config.ts"].includes(file) && partOf(file) !== "cli")).toEqual([]);
  });

  it("numbers no parameters in SQL, which the oldest Node that we support refuses", () => {
    expect(
      files.filter((file) => /(?:[=<>(,]|LIMIT|coalesce\()\s*\?\d/.test(readFileSync(join(SRC, file), "utf8"))),
    ).toEqual([]);
  });

  it("keeps files short enough to be one idea", () => {
    const long = files.filter((file) => readFileSync(join(SRC, file), "utf8").split("\n").length > 320);
    expect(long).toEqual([]);
  });
});
