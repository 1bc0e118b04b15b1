import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.ts";
import { EXAMPLES } from "../../src/cli/examples.ts";
import { parseExpectations } from "../../src/change/expectations.ts";
import { loadConfig } from "../../src/config.ts";
import { loadTokens } from "../../src/server/tokens.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { listBlocks, listSpans, ROOT } from "./blocks.ts";
import { renderReferences } from "../../tools/docs/write-references.ts";

/** The commands of ours in a piece of shell. */
function commandsIn(code: string): string[][] {
  return code
    .split(/\n|\||&&|;/)
    .map((line) => line.trim())
    .flatMap((line) => /(?:^|[(<\s])tidemark (?!-- )(.*?)\)?$/.exec(line)?.[1] ?? [])
    .map((line) =>
      [...line.replace(/\s[<>].*$/, "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, double, single, bare]) => double ?? single ?? bare ?? "",
      ),
    );
}

/** Takes a command apart as the command line would, and carries nothing out. */
async function parse(words: readonly string[]): Promise<void> {
  const program = createProgram();
  const disarm = (command: typeof program): void => {
    if (command.commands.length === 0 || command.args.length > 0) command.action(() => undefined);
    for (const each of command.commands) disarm(each);
    command.action(() => undefined);
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
    command.exitOverride();
  };
  disarm(program);
  await program.parseAsync(["node", "tidemark", ...words]).catch((error: unknown) => {
    if (!(error instanceof Error) || !("exitCode" in error) || error.exitCode !== 0) throw error;
  });
}

describe("the documents", () => {
  it("name only commands and options that exist", async () => {
    const wrong: string[] = [];
    const shells = listBlocks().filter(({ kind }) => kind === "sh");
    expect(shells.length).toBeGreaterThan(20);
    for (const { document, line, code } of shells) {
      for (const words of commandsIn(code.replaceAll(/\s+# .*$/gm, "")))
        await parse(words).catch((error: Error) =>
          wrong.push(`${document}:${line} ${words.join(" ")}: ${error.message}`),
        );
    }
    // In running text a command may be named without what it needs.
    for (const { document, code } of listSpans().filter(({ code }) => !/[|<…]/.test(code)))
      for (const words of commandsIn(code.replaceAll(/ ?\[[^\]]*\]/g, "")))
        await parse(words).catch((error: Error) => {
          if (!/missing/.test(error.message)) wrong.push(`${document} ${code}: ${error.message}`);
        });
    expect(wrong).toEqual([]);
  });

  it("have settings, tokens, expectations and lines for clients that can be used as they are", async () => {
    const checks: Record<string, (code: string) => unknown> = {
      json(code) {
        const workspace = temporaryFolder();
        writeFileSync(join(workspace, "config.json"), code);
        return loadConfig(workspace);
      },
      "json of tokens"(code) {
        const path = join(temporaryFolder(), "tokens.json");
        writeFileSync(path, code, { mode: 0o600 });
        return loadTokens(path);
      },
      "json of a client": (code) => parse(JSON.parse(code).servers?.tidemark.args.slice(2) ?? ["mcp"]),
      "yaml of expectations": (code) => parseExpectations(code),
      toml: (code) => parseToml(code),
    };
    const seen = new Set<string>();
    for (const { document, line, kind, mark, code } of listBlocks()) {
      const name = `${kind} ${mark}`.trim();
      const check = checks[name];
      if (check === undefined) continue;
      seen.add(name);
      await expect(
        Promise.resolve().then(() => check(code)),
        `${document}:${line}`,
      ).resolves.not.toThrow();
    }
    expect([...seen].toSorted()).toEqual(Object.keys(checks).toSorted());
  });

  it("say of each block that is not run why", () => {
    const known = new Set(["sh", "sh stays", "ts", "ts with yourModel", "ts with a server", "text"]);
    const checked = new Set(["json", "json of tokens", "json of a client", "yaml of expectations", "toml"]);
    const left = listBlocks()
      .map(({ document, kind, mark }) => ({ document, name: `${kind} ${mark}`.trim() }))
      .filter(({ name }) => !known.has(name) && !checked.has(name))
      .map(({ document, name }) => `${document}: ${name}`);
    // Whoever adds one says here that it is meant.
    expect(left).toEqual([
      "README.md: sh needs Claude Code",
      "docs/doors.md: sh needs Claude Code",
      "docs/doors.md: ts needs a key",
      "docs/doors.md: sh needs another agent",
      "docs/inspector.md: sh needs a browser",
      "docs/operation.md: sh needs an OpenTelemetry SDK",
      "docs/postgres.md: ts needs a PostgreSQL",
      "docs/recipes.md: sh needs the registry",
    ]);
  });

  it("have TypeScript that can be read, also where it is not run", () => {
    for (const { code } of listBlocks().filter(({ kind }) => kind === "ts"))
      expect(() => stripTypeScriptTypes(code)).not.toThrow();
  });

  it("link only to what is there", () => {
    const missing: string[] = [];
    const documents = ["README.md", ...readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"))];
    for (const name of documents) {
      const path = name === "README.md" ? join(ROOT, name) : join(ROOT, "docs", name);
      const text = readFileSync(path, "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
        if (!existsSync(join(dirname(path), target))) missing.push(`${name}: ${target}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it("that are made from the code are up to date (npm run docs)", async () => {
    for (const [path, text] of await renderReferences()) {
      expect([path, readFileSync(join(ROOT, path), "utf8")]).toEqual([path, text]);
    }
  });

  it("keep the README short", () => {
    const text = readFileSync(join(ROOT, "README.md"), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(200);
    expect([...new Set(text.match(/Node \d+(?:\.\d+)?/g))]).toEqual(["Node 22.18"]);
  });
});

describe("help", () => {
  it("has examples for each command, and each of them can be typed", async () => {
    const program = createProgram();
    const paths = program.commands.flatMap((command) => [
      command.name(),
      ...command.commands.map((each) => `${command.name()} ${each.name()}`),
    ]);
    expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(path))).toEqual([]);
    for (const path of paths) expect([path, EXAMPLES[path]?.length ?? 0]).not.toEqual([path, 0]);
    for (const lines of Object.values(EXAMPLES))
      for (const words of lines.flatMap(commandsIn)) await expect(parse(words)).resolves.toBeUndefined();
  });
});
