import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// How long a client waits for each of its hooks, and what Node itself takes of that. Usage: npm run bench:hook

const PROGRAM = join(import.meta.dirname, "../bin/tidemark.js");
const TIMES = 15;
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const workspace = join(folder, "workspace");
mkdirSync(join(workspace, "memory"), { recursive: true });
const facts = Array.from({ length: 60 }, (_, index) => `- Fact number ${index} about the harbour of Lisbon`);
writeFileSync(join(workspace, "memory/MEMORY.md"), `# Memory\n\n${facts.join("\n")}\n`);
const transcript = join(folder, "s1.jsonl");
const lines = Array.from({ length: 400 }, (_, index) =>
  JSON.stringify({
    type: index % 2 === 0 ? "user" : "assistant",
    uuid: `m${index}`,
    timestamp: "2026-11-15T10:00:00Z",
    message: { id: `a${index}`, content: `Message ${index} about boats, tides and the price of rope.` },
  }),
);
writeFileSync(transcript, `${lines.join("\n")}\n`);

const input = JSON.stringify({ session_id: "s1", transcript_path: transcript, prompt: "What does rope cost?" });
const runHook = (event: string) => [PROGRAM, "hook", event, "--client", "claude-code", "-w", workspace];

/** How long a client would wait for a run, in milliseconds. */
function measure(args: readonly string[]): number {
  const begun = performance.now();
  spawnSync(process.execPath, [...args], { input, env: { ...process.env, HOME: folder } });
  return performance.now() - begun;
}

function report(name: string, args: readonly string[]): void {
  const walls = Array.from({ length: TIMES }, () => measure(args)).toSorted((one, other) => one - other);
  const cpu = cpuOf(args);
  const median = walls[Math.floor(TIMES / 2)] ?? 0;
  console.log(
    `${name.padEnd(18)} ${(walls[0] ?? 0).toFixed(0)} ms at best, ${median.toFixed(0)} ms median, ${cpu.toFixed(0)} ms of processor`,
  );
}

/** The processor time of one run, the best of several, as the shell counts it. */
function cpuOf(args: readonly string[]): number {
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  const script = `TIMEFORMAT='%U %S'; time ${words} >/dev/null`;
  const runs = Array.from({ length: 5 }, () => {
    const { stderr } = spawnSync("bash", ["-c", script], {
      input,
      encoding: "utf8",
      env: { ...process.env, HOME: folder },
    });
    const [user = 0, system = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
    return (user + system) * 1000;
  });
  return Math.min(...runs);
}

report("node itself", ["-e", "0"]);
const cold = measure(runHook("SessionStart"));
console.log(`SessionStart, cold ${cold.toFixed(0)} ms, once, with MEMORY.md new`);
await sleep(5000);
for (const event of ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"])
  report(event, runHook(event));
const host: { pid: number } = JSON.parse(readFileSync(join(workspace, ".tidemark/hooks/host.json"), "utf8"));
process.kill(host.pid);
await sleep(3000);
report("SessionStart, kept", runHook("SessionStart"));
// The process that the last hook started leaves when its folder is gone.
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 1000 });
