// @module-tag stores
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Memory } from "../../src/index.ts";
import { MemoryError } from "../../src/index.ts";
import { createApp } from "../../src/server/create-app.ts";
import { listen } from "../../src/server/listen.ts";
import { createReach } from "../../src/server/reach.ts";
import type { RequestReport } from "../../src/server/request-report.ts";
import { openWatch } from "../../src/server/watch.ts";
import type { Watch } from "../../src/server/watch.ts";
import { saveMemory, startModel } from "../support/model-server.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { startServer } from "./start-server.ts";

const PRICES = { spend: { prices: { "scripted/tide": { input: 2, output: 10 } } } };

async function watched(options: { metrics?: "token" | "open"; token?: string } = {}) {
  const model = await startModel(() => ({ text: "Noted." }));
  const memory = await open({ workspace: temporaryFolder(), config: { ...model.config, ...PRICES } });
  const reports: RequestReport[] = [];
  const onRequest = (report: RequestReport): void => void reports.push(report);
  const watch = await openWatch(memory, { version: "1.2.3", metrics: options.metrics ?? "token", onRequest });
  const url = await startServer(memory, { watch, token: options.token });
  return { model, memory, watch, url, reports };
}

const say = (url: string, words: string, more: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-tidemark-session": "app:ada" },
    body: JSON.stringify({ messages: [{ role: "user", content: words }], ...more }),
  });

async function readMetrics(url: string, headers: Record<string, string> = {}): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

/** What is told after the last byte may come a moment after the client has it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("the figures", () => {
  it("count requests by route and status, turns, tokens and money by model", async () => {
    const { url, reports } = await watched();
    await (await say(url, "I live in Lisbon")).text();
    await (await say(url, "And in Porto", { stream: true })).text();
    await fetch(`${url}/api/sessions/app:ada`);
    await fetch(`${url}/api/sessions/app:nobody-here`);
    await fetch(`${url}/made/up/by/a/stranger`);
    await until(() => reports.length === 5);
    const figures = await readMetrics(url);
    const requests = (labels: string) => figures.get(`tidemark_request_seconds_count{${labels}}`);
    expect(requests('method="POST",route="/v1/chat/completions",status="200"')).toBe(2);
    expect(requests('method="GET",route="/api/sessions/:key",status="200"')).toBe(1);
    expect(requests('method="GET",route="/api/sessions/:key",status="404"')).toBe(1);
    expect(requests('method="GET",route="none",status="404"')).toBe(1);
    expect(figures.get('tidemark_turns_total{wire="chat",outcome="answered"}')).toBe(2);
    expect(figures.get("tidemark_turns_under_way")).toBe(0);
    expect(figures.get('tidemark_turn_overhead_seconds_count{wire="chat"}')).toBe(2);
    expect(figures.get('tidemark_model_calls_total{model="scripted/tide"}')).toBe(2);
    expect(figures.get('tidemark_tokens_total{model="scripted/tide",kind="input"}')).toBe(200);
    expect(figures.get('tidemark_tokens_total{model="scripted/tide",kind="output"}')).toBe(40);
    expect(figures.get('tidemark_money_total{model="scripted/tide"}')).toBeCloseTo((200 * 2 + 40 * 10) / 1e6, 12);
    expect(figures.get('tidemark_info{version="1.2.3"}')).toBe(1);
    expect(figures.get("tidemark_store_up")).toBe(1);
    expect(figures.has("process_resident_memory_bytes")).toBe(true);
  });

  it("count digests, what they spent, and jobs", async () => {
    const { url, memory, model } = await watched();
    model.script = () => saveMemory("# Memory\n\n## Facts\n\n- Lives in Lisbon.\n");
    const session = await memory.session("app:ada");
    for (const message of talk(4)) await session.append(message);
    await memory.startNew("app:ada");
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await memory.queue.enqueueJobs([{ kind: "unheard-of", name: "later", payload: {}, at }]);
    await memory.settle();
    const figures = await readMetrics(url);
    expect(figures.get('tidemark_digests_total{outcome="consolidated"}')).toBe(1);
    expect(figures.get('tidemark_tokens_total{model="scripted/tide",kind="input"}')).toBe(100 * model.requests.length);
    expect(figures.get('tidemark_jobs{state="waiting"}')).toBe(1);
    expect(figures.get('tidemark_jobs{state="failed"}')).toBe(0);
    const done = [...figures].filter(([name]) => name.startsWith("tidemark_jobs_total{") && name.includes('"done"'));
    expect(done.length).toBeGreaterThan(0);
  });

  it("hold no name and no word of anyone", async () => {
    const { url, reports } = await watched();
    const secret = "the-purple-elephant";
    await (await say(url, secret, { user: secret, model: "scripted/tide" })).text();
    await fetch(`${url}/api/sessions/${secret}`);
    await fetch(`${url}/api/search?q=${secret}`);
    await fetch(`${url}/${secret}/${secret}`, { method: "PUT", headers: { "x-request-id": secret } });
    await until(() => reports.length === 4);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).not.toContain(secret);
    expect(text).not.toContain("ada");
    expect(JSON.stringify(reports)).not.toMatch(/purple|ada/);
  });

  it("do not grow with the models that clients name", async () => {
    const { url, watch } = await watched();
    const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };
    for (let model = 0; model < 300; model++) watch.metrics?.noteSpend(`made/up-${model}`, usage, null);
    const names = [...(await readMetrics(url)).keys()].filter((name) => name.startsWith("tidemark_model_calls_total"));
    expect(names).toHaveLength(101);
    expect(names.at(-1)).toContain('"other"');
  });

  it("count turns that failed or were left, and failures of the store", async () => {
    const { url, model, reports, memory } = await watched();
    model.script = () => ({ status: 400 });
    await (await say(url, "Hi")).text();
    model.script = () => ({ hang: true });
    const leaving = new AbortController();
    const body = JSON.stringify({ messages: [{ role: "user", content: "Wait" }] });
    const left = fetch(`${url}/v1/chat/completions`, { method: "POST", body, signal: leaving.signal });
    await until(() => model.requests.length === 2);
    leaving.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await until(() => reports.length === 2);
    const broken: Memory = {
      ...memory,
      listSessions: () => Promise.reject(new MemoryError("STATE_UNUSABLE", "The database failed")),
    };
    const watch = await openWatch(memory, { version: "0", metrics: "token" });
    const failing = await startServer(broken, { watch });
    expect((await fetch(`${failing}/api/sessions`)).status).toBe(503);
    expect((await readMetrics(failing)).get('tidemark_store_errors_total{code="STATE_UNUSABLE"}')).toBe(1);
    const figures = await readMetrics(url);
    expect(figures.get('tidemark_turns_total{wire="chat",outcome="failed"}')).toBe(2);
    expect(reports[1]).toMatchObject({ isLeft: true, status: 499 });
  });

  it("need the same token as the API, one for everything, unless they are open", async () => {
    const { url } = await watched({ token: "s3cret" });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers: { authorization: "Bearer s3cret" } })).status).toBe(200);
    const free = await watched({ token: "s3cret", metrics: "open" });
    expect((await fetch(`${free.url}/metrics`)).status).toBe(200);
    expect((await fetch(`${free.url}/metrics/`)).status).toBe(401);
    expect((await fetch(`${free.url}/metrics`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await fetch(`${free.url}/api/status`)).status).toBe(401);
    const memory = await open({ workspace: temporaryFolder(), config: { memory: { scope: "user" } } });
    const watch = await openWatch(memory, { version: "0", metrics: "token" });
    const tokens = {
      "a-token-of-one-user": { scope: "app:ada", access: "write" as const },
      "a-token-for-prometheus": { scope: "*", access: "read" as const },
    };
    const apart = await startServer(memory, { watch, tokens });
    const status = async (token: string) =>
      (await fetch(`${apart}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status("a-token-of-one-user")).toBe(403);
    expect(await status("a-token-for-prometheus")).toBe(200);
    expect((await fetch(`${await startServer(memory)}/metrics`)).status).toBe(404);
  });
});

describe("the probes", () => {
  it("answer without a token, under any name, and tell nothing else", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const app = createApp(memory, { version: "0", token: "s3cret" });
    for (const path of ["/healthz", "/readyz"]) {
      const response = await app.request(path, { headers: { host: "10.0.0.7:8420" } });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ status: "ok" });
    }
  });

  it("say that it is alive but not ready when the store does not answer, and ready when it does again", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    let look = (): Promise<unknown> => Promise.reject(new Error("refused"));
    const watch: Watch = {
      ...(await openWatch(memory, { version: "0", metrics: "token" })),
      reach: createReach(() => look(), 20, 0),
    };
    const url = await startServer(memory, { watch });
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    expect(await ready()).toBe(503);
    look = () => new Promise((resolve) => setTimeout(resolve, 100));
    expect(await ready()).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    look = () => Promise.resolve();
    await until(async () => (await ready()) === 200);
  });

  it("look at the store once for many who ask", async () => {
    let looks = 0;
    const reach = createReach(
      async () => {
        looks++;
      },
      1000,
      60_000,
    );
    expect(await Promise.all(Array.from({ length: 50 }, () => reach.isReached()))).not.toContain(false);
    await reach.isReached();
    expect(looks).toBe(1);
  });
});

describe("draining", () => {
  it("refuses new turns in each wire's form, lets those under way finish, and is not ready", async () => {
    const { url, model, watch, memory } = await watched();
    let answer = (): void => undefined;
    model.script = () => new Promise((resolve) => (answer = () => resolve({ text: "late" })));
    const asked = say(url, "Hi", { stream: true });
    await until(() => model.requests.length === 1);
    const drained = watch.turns.drain(60_000);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: "draining" });
    const refused = await say(url, "Too late");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error: { code: "draining" } });
    const messages = await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" });
    expect(messages.status).toBe(503);
    expect(await messages.json()).toMatchObject({ type: "error" });
    expect((await fetch(`${url}/api/status`)).status).toBe(200);
    answer();
    expect(await (await asked).text()).toContain("[DONE]");
    expect(await drained).toBe(true);
    const said = (await memory.session("app:ada")).messages().map(({ content }) => content);
    expect(said).toEqual(["Hi", "late"]);
    const figures = await readMetrics(url);
    expect(figures.get('tidemark_turns_total{wire="chat",outcome="refused"}')).toBe(1);
  });

  it("waits for no longer than it may", async () => {
    const { url, model, watch } = await watched();
    model.script = () => ({ hang: true });
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0 });
    const leaving = new AbortController();
    const asked = client.chat.completions.create(
      { model: "tidemark", messages: [{ role: "user", content: "Hi" }] },
      { signal: leaving.signal },
    );
    await until(() => model.requests.length === 1);
    expect(await watch.turns.drain(30)).toBe(false);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    expect(await watch.turns.drain(60_000)).toBe(true);
  });

  it("has stored what was heard of a stream once the turn is over, also of one that is broken off", async () => {
    const provider = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "Half an" } }] })}\n\n`);
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => provider.closeAllConnections());
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
    const config = { agents: { defaults: { model: "scripted/tide" } }, providers: { scripted: { baseUrl } } };
    const memory = await open({ workspace: temporaryFolder(), config });
    const watch = await openWatch(memory, { version: "1.2.3", metrics: "off" });
    const app = createApp(memory, { version: "1.2.3", watch });
    const server = await listen(app, { host: "127.0.0.1", port: 0 });
    const response = await say(server.url, "Hi", { stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(await watch.turns.drain(30)).toBe(false);
    await server.close(0);
    expect(await watch.turns.drain(60_000)).toBe(true);
    const said = (await memory.session("app:ada")).messages();
    expect(said).toMatchObject([{ content: "Hi" }, { content: "Half an", stopped: true }]);
    await expect(reader?.read()).rejects.toThrow();
    await app.finish();
  });
});
