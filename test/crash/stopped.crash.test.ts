import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { runCli } from "../cli/run-cli.ts";
import { startModel } from "../support/model-server.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** Another process that took a lock and was stopped, as by Ctrl-Z. */
async function stopHolding(lock: string): Promise<ChildProcess> {
  const script = new URL("stopped.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, lock], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return child;
}

async function prepare() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await (await memory.session("cli:a")).appendAll(talk(12));
  await memory.remember("cli:a", { fact: "Likes tea", by: "test" });
  return { workspace, memory, lock: (name: string) => join(workspace, ".tidemark/locks", name) };
}

// A start of the command line takes about half a second here; a wait for a lock would take sixty.
const SOON_MS = 20_000;

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = performance.now();
  return { result: await work, ms: performance.now() - begun };
}

describe.runIf(existsSync("/proc/self/stat"))("while a chat is stopped in the middle of its model's answer", () => {
  it("nobody else waits for it, and its answer is stored when it goes on", async () => {
    const answer = Promise.withResolvers<void>();
    const model = await startModel(async (request) => {
      const said = JSON.stringify(request.messages);
      if (said.includes("first words") && !said.includes("second words")) await answer.promise;
      return { text: said.includes("second words") ? "second answer" : "first answer" };
    });
    const { workspace } = await prepare();
    writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
    const program = new URL("../../bin/tidemark.js", import.meta.url).pathname;
    const chat = spawn(process.execPath, [program, "chat", "-m", "first words", "-s", "cli:b", "-w", workspace], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void chat.kill("SIGKILL"));
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    chat.kill("SIGSTOP");
    for (const args of [
      ["status"],
      ["tool", "remember", JSON.stringify({ fact: "Likes plums" })],
      ["consolidate", "cli:a"],
      ["chat", "-m", "other words", "-s", "cli:c"],
    ]) {
      const { result, ms } = await timed(runCli([...args, "-w", workspace]));
      expect([args, result.code, result.stderr]).toEqual([args, 0, expect.not.stringContaining("suspended")]);
      expect(ms).toBeLessThan(SOON_MS);
    }
    // Over HTTP, too, and in the very session: its words are stored, and its model is asked.
    const memory = await open({ workspace });
    const talking = createClientTalk(memory);
    const { result: heard, ms: heardMs } = await timed(
      talking.hear("cli:b", [{ role: "user", content: "by a client" }]),
    );
    expect([heard, heardMs < 4000]).toEqual([1, true]);
    const second = await timed(runCli(["chat", "-m", "second words", "-s", "cli:b", "-w", workspace]));
    expect(second.result).toMatchObject({ code: 0, stdout: expect.stringContaining("second answer") });
    expect(second.result.stderr).toMatch(
      new RegExp(`Process ${chat.pid} \\(tidemark chat\\) has been talking in cli:b since .* is suspended; going on`),
    );
    expect(second.ms).toBeLessThan(SOON_MS);
    chat.kill("SIGCONT");
    answer.resolve();
    await once(chat, "close");
    const said = (await memory.session("cli:b")).messages().map(({ content }) => content);
    expect(said).toEqual(["first words", "by a client", "second words", "second answer", "first answer"]);
  });
});

describe.runIf(existsSync("/proc/self/stat"))("while another process is stopped and holds a lock", () => {
  it("reading waits for nobody, whatever is held", async () => {
    const { workspace, lock } = await prepare();
    for (const name of ["memory", "cli_a.append", "cli_a.run", "cli_a.turn"]) await stopHolding(lock(name));
    for (const args of [
      ["status"],
      ["sessions", "list"],
      ["sessions", "show", "cli:a"],
      ["search", "tea"],
      ["log"],
      ["doctor"],
      ["why", "Likes tea"],
      ["export", join(temporaryFolder(), "out")],
    ]) {
      const { result, ms } = await timed(runCli([...args, "-w", workspace]));
      expect([args, result.code, result.stderr.includes("gave up after 6")]).toEqual([args, 0, false]);
      expect(ms).toBeLessThan(SOON_MS);
    }
  });

  it("a writer names the holder within a second, and gives up on it soon", async () => {
    const { workspace, lock } = await prepare();
    const child = await stopHolding(lock("memory"));
    const notices: string[] = [];
    const memory = await open({ workspace, onNotice: (text) => notices.push(text) });
    const { result, ms } = await timed(
      memory.remember("cli:a", { fact: "Likes coffee", by: "test" }).catch((error: unknown) => String(error)),
    );
    expect(result).toMatch(new RegExp(`Process ${child.pid} \\(stopped .*is suspended: resume it.*kill -CONT`));
    expect(ms).toBeLessThan(SOON_MS);
    expect(notices.find((text) => text.startsWith("Waiting: Process"))).toContain(`kill -CONT ${child.pid}`);
    child.kill("SIGCONT");
  });

  it("what was said is stored, and a turn sees the memory as it lies there", async () => {
    const { workspace, lock } = await prepare();
    await stopHolding(lock("memory"));
    const memory = await open({ workspace });
    const session = await memory.session("cli:a");
    await session.append({ role: "user", content: "said meanwhile" });
    const { result, ms } = await timed(memory.turnContext(session, "said meanwhile"));
    expect(JSON.stringify(result)).toContain("Likes tea");
    expect(ms).toBeLessThan(SOON_MS);
    expect(session.messages().at(-1)).toMatchObject({ content: "said meanwhile" });
  });

  it("waits for one that is at work, and goes on when it is done", async () => {
    const { memory, lock } = await prepare();
    const child = await stopHolding(lock("memory"));
    child.kill("SIGCONT");
    setTimeout(() => child.kill("SIGKILL"), 1500);
    expect(await memory.remember("cli:a", { fact: "Likes coffee", by: "test" })).toMatchObject({ kind: "saved" });
  });
});
