import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";

const ERRORS = { ENOSPC: constants.errno.ENOSPC, EIO: constants.errno.EIO, EROFS: constants.errno.EROFS };
const isLong = process.env["TIDEMARK_FAULTS"] === "all";
const hasCompiler = spawnSync("cc", ["--version"]).status === 0;

function run(shim: string, workspace: string, fault: { at: number; errno: number; count?: string }) {
  const writer = new URL("writer.mjs", import.meta.url).pathname;
  const env = {
    ...process.env,
    LD_PRELOAD: shim,
    FAULT_FOLDER: workspace,
    FAULT_AT: String(fault.at),
    FAULT_ERRNO: String(fault.errno),
    FAULT_COUNT: fault.count ?? "",
  };
  return spawnSync(process.execPath, [writer, workspace], { env, encoding: "utf8" });
}

function stateOf(workspace: string) {
  const read = (name: string) => (existsSync(join(workspace, name)) ? readFileSync(join(workspace, name), "utf8") : "");
  const lines = read("sessions/cli_a.jsonl").split("\n").filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as { content?: string; last_consolidated?: number });
  return {
    said: parsed.flatMap(({ content }) => content ?? []),
    cursor: parsed.findLast(({ last_consolidated }) => last_consolidated !== undefined)?.last_consolidated ?? 0,
    diary: read("memory/HISTORY.md"),
    memory: read("memory/MEMORY.md"),
  };
}

const SAID = Array.from({ length: 6 }, (_, index) => `say ${index}.`);
const DIARY = "[2026-11-15 09:00] covers 0,1,2,3,4,5.\n\n";
const MEMORY = "# Memory\n\n- Unit x0x began with number q0q\n";

// Builds a small library with the C compiler; where there is none, only Linux-like systems with one can run it.
describe.skipIf(!hasCompiler || process.platform !== "linux")("a disk that fails at any write (case 42)", () => {
  it("surfaces as an error, leaves nothing half-written, and works again afterwards", () => {
    const folder = temporaryFolder();
    const shim = join(folder, "fault.so");
    execFileSync("cc", ["-shared", "-fPIC", "-o", shim, new URL("fault.c", import.meta.url).pathname, "-ldl"]);
    const count = join(folder, "count");
    expect(run(shim, join(folder, "plain"), { at: 0, errno: 0, count }).status).toBe(0);
    const writes = Number(readFileSync(count, "utf8"));
    expect(writes).toBeGreaterThan(30);
    const errors = Object.entries(ERRORS);
    let surfaced = 0;
    for (let at = 1; at <= writes; at += isLong ? 1 : 4) {
      for (const [name, errno] of isLong ? errors : [errors[(at >> 2) % errors.length]!]) {
        const workspace = join(folder, `at-${at}-${name}`);
        const place = `write ${at} of ${writes} fails with ${name}`;
        const failed = run(shim, workspace, { at, errno });
        expect(failed.stderr, place).not.toMatch(/^\s+at /m);
        if (failed.status !== 0) surfaced++;
        expect(failed.status === 0 || /^failed: MemoryError: /m.test(failed.stderr), `${place}: ${failed.stderr}`).toBe(
          true,
        );
        const acknowledged = failed.stdout.split("\n").filter((line) => line.startsWith("said")).length;
        const half = stateOf(workspace);
        expect(half.said.length, place).toBeGreaterThanOrEqual(acknowledged);
        expect([half.diary, half.memory], place).toEqual([
          expect.toBeOneOf(["", DIARY]),
          expect.toBeOneOf(["", MEMORY]),
        ]);
        if (half.cursor > 0) expect([half.diary, half.memory], place).toEqual([DIARY, MEMORY]);
        const mended = run(shim, workspace, { at: 0, errno: 0 });
        expect(mended.status, `${place}: ${mended.stderr}`).toBe(0);
        expect(stateOf(workspace), place).toEqual({ said: SAID, cursor: 6, diary: DIARY, memory: MEMORY });
      }
    }
    expect(surfaced).toBeGreaterThan(0);
  }, 1_200_000);
});
