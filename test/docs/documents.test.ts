import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.ts";
import { EXAMPLES } from "../../src/cli/examples.ts";
import { loadConfig } from "../../src/config.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { listBlocks, ROOT } from "./blocks.ts";
import { renderReferences } from "../../tools/docs/write-references.ts";

/** The commands of ours in a piece of shell. */
function commandsIn(code: string): string[][] {
  return code
    .split(/\n|\||&&|;/)
    .map((line) => line.trim())
    .flatMap((line) => /(?:^|[(<\s])tidemark (.*?)\)?$/.exec(line)?.[1] ?? [])
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
    const shells = listBlocks().filter(({ kind }) => kind.startsWith("sh"));
    expect(shells.length).toBeGreaterThan(12);
    for (const { document, line, code } of shells) {
      for (const words of commandsIn(code))
        await parse(words).catch((error: Error) =>
          wrong.push(`${document}:${line} ${words.join(" ")}: ${error.message}`),
        );
    }
    expect(wrong).toEqual([]);
  });

  it("have JSON that the configuration takes", () => {
    const blocks = listBlocks().filter(({ kind }) => kind === "json");
    expect(blocks.length).toBeGreaterThan(0);
    for (const { code } of blocks) {
      const workspace = temporaryFolder();
      writeFileSync(join(workspace, "config.json"), code);
      expect(() => loadConfig(workspace)).not.toThrow();
    }
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
    // The comparison is written apart from these.
    expect(missing.filter((each) => !each.endsWith("docs/comparison.md"))).toEqual([]);
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
