// @module-tag newcomer
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { installPackage } from "../package/install-package.ts";
import type { Installed } from "../package/install-package.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { listBlocks } from "./blocks.ts";

let installed: Installed;

beforeAll(() => {
  installed = installPackage("ai", "openai");
});

afterAll(() => installed.remove());

/** A home of its own, with the command of the package on the path, and the package where an import finds it. */
function newHome() {
  const home = temporaryFolder();
  mkdirSync(join(home, "bin"));
  symlinkSync(join(installed.folder, "node_modules"), join(home, "node_modules"));
  writeFileSync(join(home, "bin", "tidemark"), `#!/bin/sh\nexec "${process.execPath}" "${installed.command}" "$@"\n`);
  chmodSync(join(home, "bin", "tidemark"), 0o755);
  const env = { ...installed.env, PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`, HOME: home };
  return { home, env };
}

/** An example with what its reader has: a model of their own, or a server that runs. */
async function completeExample(mark: string, code: string, home: string, env: Record<string, string>): Promise<string> {
  if (mark === "with yourModel") return `${SCRIPTED_MODEL}\n${code}`;
  if (mark !== "with a server") return code;
  const model = await startModel(() => ({ text: "You live in Lisbon." }));
  const workspace = join(home, "served");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
  const server = spawn(process.execPath, [installed.command, "serve", "-p", "0", "-w", workspace], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill());
  const [address] = await once(server.stdout, "data");
  const start = `import OpenAI from "openai";\nconst messages = [{ role: "user" as const, content: "Where do I live?" }];`;
  return `${start}\n${code.replace("http://127.0.0.1:8420", String(address).trim())}`;
}

const SCRIPTED_MODEL = `import { MockLanguageModelV4 } from "ai/test";
const yourModel = new MockLanguageModelV4({
  doGenerate: async () => ({
    content: [{ type: "text", text: "You live in Lisbon." }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
});`;

async function runNode(words: readonly string[], cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  const [stderr, [code]] = await Promise.all([readText(child.stderr), once(child, "close")]);
  return { code, stderr };
}

const documents = Map.groupBy(listBlocks(), ({ document }) => document);

it.each([...documents.keys()])("runs every block of %s, from top to bottom", async (document) => {
  const { home, env } = newHome();
  for (const { kind, mark, code, line } of documents.get(document) ?? []) {
    const place = `${document}:${line}`;
    if (kind === "sh" && mark === "") {
      const { status, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", code], {
        cwd: home,
        env,
        encoding: "utf8",
      });
      expect([place, status, stderr]).toEqual([place, 0, stderr]);
    } else if (kind === "ts" && !mark.startsWith("needs")) {
      writeFileSync(join(home, "example.ts"), await completeExample(mark, code, home, env));
      const { code: status, stderr } = await runNode(["example.ts"], home, env);
      expect([place, status, stderr]).toEqual([place, 0, stderr]);
    } else if (kind === "sh" && mark === "stays") {
      const child = spawn("bash", ["-c", `exec ${code.trim()}`], { cwd: home, env });
      let ended: number | null | undefined;
      child.on("exit", (status) => (ended = status));
      await new Promise((resolve) => setTimeout(resolve, 6000));
      expect([place, ended]).toEqual([place, undefined]);
      child.kill("SIGTERM");
    }
  }
});

it("shows in the README what its own example stores", () => {
  const { home, env } = newHome();
  const example = listBlocks().find(({ document, kind }) => document === "README.md" && kind === "ts");
  writeFileSync(join(home, "example.ts"), example?.code ?? "");
  const { stdout } = spawnSync(process.execPath, ["example.ts"], { cwd: home, env, encoding: "utf8" });
  const promised = /readMemory\(\)\); \/\/ (- .*)$/m.exec(example?.code ?? "")?.[1] ?? "nothing promised";
  expect(stdout.replaceAll(/20\d\d-05/g, "2026-05")).toContain(promised);
});
