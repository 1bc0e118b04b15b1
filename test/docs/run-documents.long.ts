import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { listBlocks, ROOT } from "./blocks.ts";

/** A home of its own, with the command on the path and the package where an import finds it. */
function newHome() {
  const home = temporaryFolder();
  mkdirSync(join(home, "bin"));
  mkdirSync(join(home, "node_modules"));
  symlinkSync(ROOT, join(home, "node_modules", "tidemark"));
  writeFileSync(
    join(home, "bin", "tidemark"),
    `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/tidemark.js" "$@"\n`,
  );
  chmodSync(join(home, "bin", "tidemark"), 0o755);
  const env = {
    PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    TZ: "UTC",
    OLLAMA_HOST: "127.0.0.1:9",
  };
  return { home, env };
}

const documents = Map.groupBy(listBlocks(), ({ document }) => document);

it.each([...documents.keys()])("runs every block of %s, from top to bottom", async (document) => {
  const { home, env } = newHome();
  for (const { kind, code, line } of documents.get(document) ?? []) {
    const place = `${document}:${line}`;
    if (kind === "sh") {
      const { status, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", code], {
        cwd: home,
        env,
        encoding: "utf8",
      });
      expect([place, status, stderr]).toEqual([place, 0, stderr]);
    } else if (kind === "ts") {
      writeFileSync(join(home, "example.ts"), code);
      const { status, stderr } = spawnSync(process.execPath, ["example.ts"], { cwd: home, env, encoding: "utf8" });
      expect([place, status, stderr]).toEqual([place, 0, stderr]);
    } else if (kind === "sh stays") {
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
