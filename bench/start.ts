import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createTextMaker, writeNotes } from "./search-text.ts";

// What it costs to start: processor time and time on the clock of whole commands, beside Node doing nothing in the same run.
//   node bench/start.ts [--quick]

const isQuick = process.argv.includes("--quick");
const ROUNDS = isQuick ? 3 : 10;
const SESSIONS = 3000;
const FILES = isQuick ? 500 : 10_000;
const BIN = join(import.meta.dirname, "../bin/tidemark.js");

const folder = mkdtempSync(join(tmpdir(), "tidemark-start-"));
const told = join(folder, "told.json");
// Told by the process itself at its end; another that waits for it sees only the time on the clock.
const HOOK = `import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(${JSON.stringify(told)},JSON.stringify({...process.cpuUsage(),kilobytes:process.resourceUsage().maxRSS})))`;
const TELL = `--import=data:text/javascript,${encodeURIComponent(HOOK)}`;

interface Cost {
  ms: number;
  clockMs: number;
  megabytes: number;
}

/** Runs it once. */
function run(args: readonly string[]): Cost {
  const environment = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [TELL, ...args], { input: "", env: environment });
  const clockMs = performance.now() - begun;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr.toString()}`);
  const { user, system, kilobytes }: { user: number; system: number; kilobytes: number } = JSON.parse(
    readFileSync(told, "utf8"),
  );
  return { ms: (user + system) / 1000, clockMs, megabytes: kilobytes / 1024 };
}

/** A workspace of so many short sessions, as files alone. */
function writeSessions(workspace: string, count: number): string {
  mkdirSync(join(workspace, "sessions"), { recursive: true });
  for (let session = 0; session < count; session++) {
    const at = new Date(Date.UTC(2026, 8, 1) + session * 60_000).toISOString();
    const head = { _type: "metadata", key: `web:${session}`, created_at: at, metadata: {}, last_consolidated: 0 };
    const messages = Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `I prefer tea number ${session} ${index}, and we spoke of the trip to Lisbon.`,
      timestamp: at,
      id: `m${session}-${index}`,
    }));
    const lines = [head, ...messages].map((line) => JSON.stringify(line));
    writeFileSync(join(workspace, "sessions", `web_${session}.jsonl`), `${lines.join("\n")}\n`);
  }
  return workspace;
}

try {
  const few = writeSessions(join(folder, "few"), 3);
  const many = writeSessions(join(folder, "many"), SESSIONS);
  const notes = join(folder, "notes");
  const maker = createTextMaker(FILES);
  await writeNotes(notes, FILES, maker);
  run([BIN, "index", "-w", notes]);
  const commands: [string, readonly string[]][] = [
    ["`node -e 0`", ["-e", "0"]],
    ["`tidemark --help`", [BIN, "--help"]],
    ["`tidemark status`, 3 sessions", [BIN, "status", "-w", few]],
    ["`tidemark status`, 3,000 sessions", [BIN, "status", "-w", many]],
    ["`tidemark sessions`, 3,000 sessions", [BIN, "sessions", "-w", many]],
    ["`tidemark log`", [BIN, "log", "-w", few]],
    ["`tidemark search`, 3 sessions", [BIN, "search", "Lisbon", "-w", few]],
    [`\`tidemark search\`, ${FILES.toLocaleString("en-US")} files`, [BIN, "search", maker.question(), "-w", notes]],
    ["`tidemark chat -m`, no model", [BIN, "chat", "-m", "hi", "-w", few]],
    ["`tidemark mcp`, until its input ends", [BIN, "mcp", "-w", few]],
  ];
  const best = new Map<string, Cost>();
  // In turn, so that what else the machine does weighs on all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of commands) {
      const cost = run(args);
      const { ms = Infinity, clockMs = Infinity } = best.get(name) ?? {};
      const { megabytes } = cost;
      best.set(name, { ms: Math.min(ms, cost.ms), clockMs: Math.min(clockMs, cost.clockMs), megabytes });
    }
  }
  const floor = best.get("`node -e 0`")?.ms ?? 1;
  const rows = [...best].map(
    ([name, { ms, clockMs, megabytes }]) =>
      `| ${name} | ${ms.toFixed(0)} ms | ${(ms / floor).toFixed(1)} × | ${clockMs.toFixed(0)} ms | ${megabytes.toFixed(0)} MiB |`,
  );
  const table = [
    "| command | processor time | beside Node alone | on the clock | memory |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
  console.log(table);
  if (!isQuick)
    writeFileSync(
      join(import.meta.dirname, "START.md"),
      `# Start-up benchmark\n\nWritten by \`npm run bench:start\` (Node ${process.version}, ${cpus().length} cores, a shared machine: trust the ratios). User and system\ntime of the whole process, and time on the clock, best of ${ROUNDS} each, with Node's compile cache warm.\n\n${table}\n`,
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
