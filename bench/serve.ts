import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { encodeKey } from "../src/session/file-name.ts";

// 50 people who chat through the endpoint: what it costs them, and whether every message is stored once.
// node bench/serve.ts [--quick] [--saturate] [--write] [folder...]
// Runs once in each folder (the temporary one when none is named), as disks differ. --saturate adds a run without pauses,
// which takes all that the machine has; --write puts the table into bench/SERVE.md.

const CLIENTS = 50;
const isQuick = process.argv.includes("--quick");
const SECONDS = isQuick ? 10 : 60;
const THINK_MS = { least: 500, most: 1500 };
// People come one after the other, within the first sixth of the time.
const ARRIVAL_MS = (SECONDS * 1000) / 6;
const ROOT = join(import.meta.dirname, "..");

interface Turn {
  totalMs: number;
  /** What the server itself took, by its own clock; undefined for a stream. */
  ownMs: number | undefined;
}

interface Spoken {
  role: "user" | "assistant";
  content: string;
}

interface Client {
  key: string;
  history: Spoken[];
  turns: Turn[];
}

/** Answers at once, in words that differ each time; a digest gets what it asks for. */
async function startInstantModel(): Promise<{ server: Server; url: string }> {
  let count = 0;
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const asked = Asked.parse(JSON.parse(body));
      count += 1;
      const text = `Answer ${count}: noted, and here are a few more words so that it looks like an answer.`;
      if (asked.tools)
        return response
          .writeHead(200, JSON_TYPE)
          .end(JSON.stringify(completion({ content: null, tool_calls: [SAVE] }, "tool_calls")));
      if (!asked.stream)
        return response.writeHead(200, JSON_TYPE).end(JSON.stringify(completion({ content: text }, "stop")));
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const word of text.split(/(?<= )/))
        response.write(`data: ${JSON.stringify(chunk({ content: word }, null))}\n\n`);
      response.write(`data: ${JSON.stringify(chunk({}, "stop"))}\n\n`);
      return response.end("data: [DONE]\n\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the model does not listen");
  return { server, url: `http://127.0.0.1:${address.port}/v1` };
}

const Asked = z.looseObject({ stream: z.boolean().optional(), tools: z.array(z.unknown()).optional() });
const JSON_TYPE = { "content-type": "application/json" };
const SAVE = {
  id: "call_1",
  type: "function",
  function: {
    name: "save_memory",
    arguments: JSON.stringify({
      history_entry: "[2026-11-15 09:00] They chatted about numbers.",
      memory_update: "# Memory\n\n- The users chat about numbers.\n",
    }),
  },
};

function completion(message: object, finish_reason: string): object {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  return {
    id: "c",
    object: "chat.completion",
    created: 0,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage,
  };
}

function chunk(delta: object, finish_reason: string | null): object {
  return {
    id: "c",
    object: "chat.completion.chunk",
    created: 0,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

async function startServer(workspace: string, modelUrl: string): Promise<{ child: ChildProcess; url: string }> {
  mkdirSync(join(workspace, "memory"), { recursive: true });
  const config = { agents: { defaults: { model: "instant/m" } }, providers: { instant: { baseUrl: modelUrl } } };
  writeFileSync(join(workspace, "config.json"), JSON.stringify(config));
  writeFileSync(join(workspace, "memory", "MEMORY.md"), "# Memory\n\n- The users chat about numbers.\n");
  const args = [join(ROOT, "bin/tidemark.js"), "serve", "-p", "0", "-w", workspace];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [first]: unknown[] = await once(child.stdout, "data");
  return { child, url: `${String(first).trim()}/v1` };
}

async function ask(
  url: string,
  messages: readonly Spoken[],
  user: string,
  stream: boolean,
): Promise<{ text: string; turn: Turn }> {
  const begunMs = performance.now();
  const body = JSON.stringify({ model: "instant/m", messages, user, stream });
  const response = await fetch(`${url}/chat/completions`, { method: "POST", headers: JSON_TYPE, body });
  const answer = await response.text();
  const totalMs = performance.now() - begunMs;
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${answer.slice(0, 200)}`);
  const own = /tidemark;dur=([\d.]+)/.exec(response.headers.get("server-timing") ?? "")?.[1];
  return {
    text: stream ? streamedText(answer) : wholeText(answer),
    turn: { totalMs, ownMs: own === undefined ? undefined : Number(own) },
  };
}

const Whole = z.looseObject({ choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })) });
const Piece = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().optional() }) })),
});

function wholeText(body: string): string {
  return Whole.parse(JSON.parse(body)).choices[0]?.message.content ?? "";
}

function streamedText(body: string): string {
  const events = body.split("\n\n").filter((event) => event.startsWith("data: {"));
  return events.map((event) => Piece.parse(JSON.parse(event.slice(6))).choices[0]?.delta.content ?? "").join("");
}

/** Chats until the time is over, with the whole conversation in each request; every second client streams. */
async function chat(client: Client, url: string, number: number, untilMs: number, thinks: boolean): Promise<void> {
  if (thinks) await sleep((number / CLIENTS) * ARRIVAL_MS);
  for (let count = 0; performance.now() < untilMs; count++) {
    client.history.push({ role: "user", content: `Message ${count} of client ${number}` });
    const { text, turn } = await ask(url, client.history, client.key.replace("api:", ""), number % 2 === 0);
    client.history.push({ role: "assistant", content: text });
    client.turns.push(turn);
    if (thinks) await sleep(THINK_MS.least + Math.random() * (THINK_MS.most - THINK_MS.least));
  }
}

/** The same requests without us, one at a time: what the model and the loopback take by themselves. */
async function measureModel(url: string): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 100; count++) {
    times.push((await ask(url, [{ role: "user", content: "x" }], "x", count % 2 === 0)).turn.totalMs);
  }
  return percentile(times, 0.5);
}

const StoredLine = z.looseObject({ role: z.string().optional(), content: z.unknown().optional() });

/** Compares what clients said and heard with what lies on the disk. */
function countWrong(
  workspace: string,
  clients: readonly Client[],
): { lost: number; doubled: number; misplaced: number } {
  const wrong = { lost: 0, doubled: 0, misplaced: 0 };
  for (const { key, history } of clients) {
    const lines = readFileSync(join(workspace, "sessions", `${encodeKey(key)}.jsonl`), "utf8")
      .trim()
      .split("\n");
    const stored = lines.map((line) => StoredLine.parse(JSON.parse(line))).filter(({ role }) => role !== undefined);
    const said = history.map(({ role, content }) => `${role}: ${content}`);
    const kept = stored.map(({ role, content }) => `${role}: ${String(content)}`);
    wrong.lost += said.filter((line) => !kept.includes(line)).length;
    wrong.doubled += kept.length - new Set(kept).size;
    wrong.misplaced += said.filter((line, index) => kept[index] !== line).length;
  }
  return wrong;
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** What one small synced append takes on this disk meanwhile, without us. */
function probeDisk(folder: string): { times: number[]; stop: () => Promise<void> } {
  const times: number[] = [];
  const stop = new AbortController();
  const probe = async (): Promise<void> => {
    const file = await open(join(folder, "probe"), "a");
    while (!stop.signal.aborted) {
      const begunMs = performance.now();
      await file.appendFile("x".repeat(200));
      await file.datasync();
      times.push(performance.now() - begunMs);
      await sleep(200);
    }
    await file.close();
  };
  const probing = probe();
  return {
    times,
    async stop() {
      stop.abort();
      await probing;
    },
  };
}

async function run(name: string, folder: string, seconds: number, thinks: boolean): Promise<string[]> {
  const workspace = mkdtempSync(join(folder, "tidemark-serve-"));
  const model = await startInstantModel();
  const { child, url } = await startServer(workspace, model.url);
  const clients = Array.from({ length: CLIENTS }, (_, number): Client => ({
    key: `api:c${number}`,
    history: [],
    turns: [],
  }));
  const resident: number[] = [];
  const sampler = setInterval(() => resident.push(residentMegabytes(child.pid ?? 0)), 500);
  try {
    const modelMs = await measureModel(model.url);
    await ask(url, [{ role: "user", content: "warm up" }], "warm", false);
    const disk = probeDisk(workspace);
    const untilMs = performance.now() + seconds * 1000;
    await Promise.all(clients.map((client, number) => chat(client, url, number, untilMs, thinks)));
    clearInterval(sampler);
    await disk.stop();
    child.kill("SIGTERM");
    await once(child, "exit");
    const turns = clients.flatMap((client) => client.turns);
    const overhead = turns.map(({ totalMs }) => totalMs - modelMs);
    const own = turns.flatMap(({ ownMs }) => (ownMs === undefined ? [] : [ownMs]));
    const { lost, doubled, misplaced } = countWrong(workspace, clients);
    const third = Math.floor(resident.length / 3);
    const middle = percentile(resident.slice(third, 2 * third), 0.5);
    const end = percentile(resident.slice(2 * third), 0.5);
    const shown = (values: readonly number[]) =>
      [0.5, 0.95, 0.99].map((share) => percentile(values, share).toFixed(1)).join(" / ");
    return [
      name,
      String(turns.length),
      (turns.length / seconds).toFixed(0),
      String(lost),
      String(doubled),
      String(misplaced),
      modelMs.toFixed(1),
      shown(overhead),
      shown(own),
      shown(disk.times),
      `${middle.toFixed(0)} → ${end.toFixed(0)}`,
    ];
  } finally {
    clearInterval(sampler);
    child.kill("SIGKILL");
    model.server.closeAllConnections();
    model.server.close();
    rmSync(workspace, { recursive: true, force: true });
  }
}

const header = [
  "",
  "turns",
  "turns/s",
  "lost",
  "doubled",
  "out of order",
  "model ms",
  "overhead ms p50 / p95 / p99",
  "own clock ms p50 / p95 / p99",
  "one disk sync ms p50 / p95 / p99",
  "MB, middle → end",
];
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const rows: string[][] = [];
for (const folder of named.length > 0 ? named : [tmpdir()]) {
  const pace = `arriving within ${(ARRIVAL_MS / 1000).toFixed(1)} s, ${THINK_MS.least}–${THINK_MS.most} ms between turns`;
  rows.push(await run(`${CLIENTS} people, ${SECONDS} s, ${pace}, in ${folder}`, folder, SECONDS, true));
  if (process.argv.includes("--saturate")) {
    rows.push(await run(`${CLIENTS} clients without a pause, 10 s, in ${folder}`, folder, 10, false));
  }
}
const table = [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
process.stdout.write(`${table}\n`);
if (process.argv.includes("--write")) {
  const day = new Date().toISOString().slice(0, 10);
  const text = `# The endpoint under load

\`npm run bench:serve -- --write${named.map((folder) => ` ${folder}`).join("")}\`, ${day}, Node ${process.versions.node}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} (shared with other work: trust the ratios).

The server is a process of its own; clients and the instant model share another one. Every client sends its whole conversation
with each request, every second one streams; digests run behind as configured by default.

- *lost*, *doubled*, *out of order*: what each client said and heard against the session files, message by message
- *overhead*: what a client waits longer than for the model alone (*model*, median of 100 requests, one at a time), with the
  clients' own queueing in it
- *own clock*: what the server measures of itself (\`server-timing\`; streams have none)
- *one disk sync*: a small append and its sync by another process in the same folder, at the same time; each turn waits for two
- *MB*: the server's resident memory in the middle and in the last third

${table}
`;
  writeFileSync(join(import.meta.dirname, "SERVE.md"), text);
}
