import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

/** What each part may import, besides the ground that everyone stands on. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  language: [],
  belief: [],
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
  import: ["memory", "session", "files", "change"],
  export: ["memory", "session", "files", "state"],
  "memory-tool": ["memory", "files", "change"],
  door: ["memory", "context", "recall", "session", "files", "model", "change", "state"],
  mcp: ["door", "memory", "recall", "files", "model", "session", "change"],
  server: ["door", "memory", "session", "files", "model", "change", "recall", "state", "trust"],
  ui: ["server"],
  "ai-sdk": ["door", "memory", "recall", "session"],
};
const GROUND = new Set([
  "errors",
  "config",
  "config-schema",
  "time",
  "disk",
  "database",
  "lock",
  "lock-holder",
  "nearest",
  "visible-text",
  "layout",
  "language",
]);
/** What every stage is handed: types alone, so that they may speak of all that lies upstream. */
const SHARED = new Set(["workspace", "outcome"]);
/** The only files that wire the stages together. */
const WIRING = new Set([
  "memory",
  "open-workspace",
  "open-recall",
  "open-lookup",
  "open-records",
  "index",
  "workspace",
  "outcome",
]);

/** Each outside package that could be replaced has one owner, or one part that owns it. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["database"],
  commander: ["cli"],
  "@ai-sdk/provider": ["model", "ai-sdk"],
  "@ai-sdk/openai-compatible": ["model"],
  "@ai-sdk/anthropic": ["model"],
  "@ai-sdk/openai": ["model"],
  "@ai-sdk/google": ["model"],
  ai: ["model", "ai-sdk"],
  hono: ["server"],
  "@hono/node-server": ["server"],
  "@modelcontextprotocol/server": ["mcp"],
  "markdown-it": ["change"],
  diff: ["change", "ui"],
  yaml: ["config", "context", "change"],
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
    expect(
      files.filter((file) => /(?:^|\/)(?:utils?|helpers?|common|types|manager|service|store)\b/.test(file)),
    ).toEqual([]);
    expect(files.filter((file) => file.endsWith("/index.ts"))).toEqual([]);
  });

  it("keeps each outside package with its owner", () => {
    const wrong = imports.filter(({ part, target }) => {
      const name = Object.keys(OWNERS).find((owned) => target === owned || target.startsWith(`${owned}/`));
      return name !== undefined && !(OWNERS[name] ?? []).includes(part);
    });
    expect(wrong).toEqual([]);
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
