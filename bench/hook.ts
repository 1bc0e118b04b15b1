import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// How long a client waits for each of its hooks, and what Node itself takes of that. Usage: npm run bench:hook

const PROGRAM = join(import.meta.dirname, "../bin/tidemark.js");
const TIMES = 11;
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
// Codex hands its words to the hook: they are on the disk before it ends.
const runHook = (event: string, client = "claude-code") => [
  PROGRAM,
  "hook",
  event,
  "--client",
  client,
  "-w",
  workspace,
];

interface Cost {
  wallMs: number;
  /** User and system time, as the shell counts it: without the process that stays. */
  processorMs: number;
}

/** What one run costs a client. */
function measure(args: readonly string[]): Cost {
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  const script = `TIMEFORMAT='%R %U %S'; time ${words} >/dev/null`;
  const { stderr } = spawnSync("bash", ["-c", script], {
    input,
    encoding: "utf8",
    env: { ...process.env, HOME: folder },
  });
  const [wall = 0, user = 0, system = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { wallMs: wall * 1000, processorMs: (user + system) * 1000 };
}

async function report(name: string, args: readonly string[], before?: (round: number) => Promise<void>): Promise<void> {
  const costs: Cost[] = [];
  for (let round = 0; round < TIMES; round += 1) {
    await before?.(round);
    costs.push(measure(args));
  }
  const sorted = (of: (cost: Cost) => number) => costs.map(of).toSorted((one, other) => one - other);
  const [walls, processor] = [sorted(({ wallMs }) => wallMs), sorted(({ processorMs }) => processorMs)];
  const middle = Math.floor(TIMES / 2);
  const figures = [walls[0], walls[middle], processor[0], processor[middle]].map((each) =>
    String(Math.round(each ?? 0)),
  );
  console.log(`| ${[name, ...figures].join(" | ")} |`);
}

const hostFile = join(workspace, ".tidemark/hooks/host.json");

/** Nobody stays, and MEMORY.md was changed by hand since. */
async function makeCold(round: number): Promise<void> {
  await stopHost();
  writeFileSync(join(workspace, "memory/MEMORY.md"), `# Memory\n\n${facts.join("\n")}\n- Changed ${round} times\n`);
}

async function stopHost(): Promise<void> {
  // One that was just started is waited for: it would take the processor meanwhile.
  for (let tries = 0; tries < 400 && !existsSync(hostFile); tries += 1) await sleep(25);
  if (!existsSync(hostFile)) return;
  const host: { pid: number } = JSON.parse(readFileSync(hostFile, "utf8"));
  process.kill(host.pid);
  while (isAlive(host.pid)) await sleep(25);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

console.log(`Load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores; ${TIMES} runs each; milliseconds.\n`);
console.log("| event | wall, best | wall, median | processor, best | processor, median |");
console.log("|---|---|---|---|---|");
await report("Node itself", ["-e", "0"]);
measure(runHook("SessionStart"));
await sleep(5000);
for (const event of ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"])
  await report(event, runHook(event));
await report("UserPromptSubmit with its words", runHook("UserPromptSubmit", "codex"));
for (const event of ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"])
  await report(`${event}, nobody there`, runHook(event), makeCold);
await stopHost();
await sleep(500);
// The process that the last hook started leaves when its folder is gone.
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 1000 });
