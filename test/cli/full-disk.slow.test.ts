import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli, workspaceWithTalk } from "./run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const small = ["--dev-bind", "/", "/", "--size", "4000000", "--tmpfs"];
const canMount = spawnSync("bwrap", [...small, "/tmp", "true"]).status === 0;

it.skipIf(!canMount)("who only looks is answered on a full disk, and what is said is kept, or refused", async () => {
  const workspace = await workspaceWithTalk(3);
  expect(await runCli(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
  const disk = temporaryFolder();
  const elsewhere = temporaryFolder();
  const command = `${process.execPath} ${join(ROOT, "bin/tidemark.js")}`;
  const script = `
    cp -r ${workspace} ${disk}/w && cd ${disk} || exit 1
    dd if=/dev/zero of=fill bs=4096 2>/dev/null
    run() { echo "== $1"; ${command} "$@" -w ${disk}/w 2>&1; echo "= $?"; }
    run status; run search tea; run log; run doctor; run chat -m "I live in Ghent"
    rm fill
    run doctor; run chat -m "I have a dog"; grep -c "live in Ghent" w/sessions/cli_main.jsonl`;
  const env = { PATH: process.env["PATH"] ?? "", HOME: elsewhere, TMPDIR: elsewhere, TZ: "UTC" };
  const { stdout } = spawnSync("bwrap", [...small, disk, "--bind", elsewhere, elsewhere, "bash", "-c", script], {
    encoding: "utf8",
    env,
  });
  const outputs = stdout.split("== ").slice(1);
  expect(outputs.slice(0, 4).map((text) => text.split("\n")[0] + (/\n= (\d)/.exec(text)?.[1] ?? ""))).toEqual([
    "status0",
    "search0",
    "log0",
    "doctor0",
  ]);
  // Either it is stored, or that it is not is said.
  const isStored = Number(stdout.trim().split("\n").at(-1)) > 0;
  expect(outputs[4]).toMatch(isStored ? /1 message stored/ : /^chat\ntidemark: .*\n= 1/);
  expect(outputs[5]).toContain("= 0");
  expect(outputs[6]).toContain("= 0");
});
