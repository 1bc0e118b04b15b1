import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** A workspace whose hooks are called as a client calls them; the process that stays ends with the test. */
function hooked(client = "claude-code") {
  const folder = temporaryFolder();
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, "memory"), { recursive: true });
  const hostFile = join(workspace, ".tidemark/hooks/host.json");
  const host = (): { pid: number } | undefined =>
    existsSync(hostFile) ? JSON.parse(readFileSync(hostFile, "utf8")) : undefined;
  const stop = async () => {
    const pid = host()?.pid;
    if (pid === undefined) return;
    process.kill(pid);
    await until(() => !isAlive(pid));
  };
  onTestFinished(stop);
  const call = (event: string, input: unknown) =>
    runCli(["hook", event, "--client", client, "-w", workspace], {
      input: typeof input === "string" ? input : JSON.stringify(input),
      // A hook gives up after seconds; on a machine that is busy with tests that may be too soon.
      env: { HOME: folder, TIDEMARK_HOOK_PATIENCE: "20" },
    });
  const session = (
    id: string,
  ): { role?: string; content?: string; id?: string; context?: string; last_consolidated?: number }[] => {
    const path = join(workspace, "sessions", `${client}_${id}.jsonl`);
    return statSync(path, { throwIfNoEntry: false })?.isFile()
      ? readFileSync(path, "utf8")
          .split("\n")
          // What follows the last newline is empty, or being written.
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  };
  const said = (id: string) => session(id).filter(({ role }) => role !== undefined);
  const memory = () => readFileSync(join(workspace, "memory/MEMORY.md"), "utf8");
  const failures = () => readIfThere(join(workspace, ".tidemark/hooks/failures.jsonl"));
  return { folder, workspace, host, stop, call, session, said, memory, failures };
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean, waitMs = 25_000): Promise<void> {
  const end = performance.now() + waitMs;
  while (!isSo()) {
    if (performance.now() > end) expect.fail(`waited in vain for ${isSo.toString()}`);
    await sleep(50);
  }
}

const toldBy = (stdout: string): string =>
  stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext;

const line = (type: "user" | "assistant", uuid: string, content: unknown, more: object = {}) =>
  `${JSON.stringify({ parentUuid: null, isSidechain: false, type, uuid, timestamp: "2026-11-15T10:00:00.000Z", sessionId: "s1", version: "2.1.325", message: { role: type, content, ...(type === "assistant" ? { id: `m-${uuid}` } : {}) }, ...more })}\n`;

describe("the hooks of Claude Code", () => {
  it("bring memory in, take each word out once, and digest at the end", async () => {
    const { workspace, folder, call, said, session, memory, host, stop, failures } = hooked();
    writeFileSync(join(workspace, "memory/MEMORY.md"), "# Memory\n\n- Lives in Lisbon\n");
    const transcript = join(folder, "s1.jsonl");
    const common = { session_id: "s1", transcript_path: transcript, cwd: "/home/ana/work" };
    const started = await call("SessionStart", { ...common, hook_event_name: "SessionStart", source: "startup" });
    expect(started).toMatchObject({ code: 0, stderr: "" });
    expect(toldBy(started.stdout)).toContain("- Lives in Lisbon");

    const asked = "My dentist is Dr. Okafor.<system-reminder>Be brief.</system-reminder>";
    writeFileSync(
      transcript,
      [
        `${JSON.stringify({ type: "summary", summary: "Dentists", leafUuid: "x" })}\n`,
        line("user", "u0", "<command-name>/model</command-name>\n<command-args>opus</command-args>"),
        line("user", "u1", asked),
        line("user", "x1", "Explore the repository.", { isSidechain: true }),
        line("assistant", "a1", [{ type: "thinking", thinking: "hm" }]),
        line("assistant", "a2", [{ type: "text", text: "Noted." }], {
          message: { role: "assistant", id: "m-a1", content: [{ type: "text", text: "Noted." }] },
        }),
      ].join(""),
    );
    const stopInput = { ...common, hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Noted." };
    expect(await call("Stop", stopInput)).toEqual({ code: 0, stdout: "", stderr: "" });
    await until(() => said("s1").length > 0);
    await call("Stop", stopInput);
    await call("SessionEnd", { ...common, hook_event_name: "SessionEnd", reason: "prompt_input_exit" });
    await until(() => session("s1").some(({ last_consolidated: cursor }) => cursor === 2));
    expect(said("s1").map(({ role, content, id }) => [role, content, id])).toEqual([
      ["user", "My dentist is Dr. Okafor.", "u1"],
      ["assistant", "Noted.", "a2"],
    ]);
    expect(said("s1")[0]?.context).toContain("Be brief.");
    await until(() => memory().includes("Okafor"));

    // The next session is told at its start, and finds it by the question; this one has it in sight.
    const next = { session_id: "s2", transcript_path: join(folder, "s2.jsonl") };
    expect(toldBy((await call("SessionStart", { ...next, source: "startup" })).stdout)).toContain("Okafor");
    const recalled = toldBy((await call("UserPromptSubmit", { ...next, prompt: "Who is my dentist?" })).stdout);
    expect(recalled).toContain("My dentist is Dr. Okafor.");
    expect(recalled.length).toBeLessThan(3200);
    expect((await call("UserPromptSubmit", { ...common, prompt: "Who is my dentist?" })).stdout).not.toContain(
      "said in claude-code:s1",
    );
    expect(said("s2")).toEqual([]);
    expect(failures()).toBe("");

    // With nobody there and MEMORY.md changed by hand, the start is still right.
    await stop();
    writeFileSync(join(workspace, "memory/MEMORY.md"), "# Memory\n\n- Lives in Porto\n");
    const cold = toldBy((await call("SessionStart", { ...next, source: "resume" })).stdout);
    expect(cold).toContain("- Lives in Porto");
    expect(cold).not.toContain("Lisbon");
    await until(() => host() !== undefined);
  });

  it("leave an answer that is still being written for the next time", async () => {
    const { folder, call, said } = hooked();
    const transcript = join(folder, "s1.jsonl");
    const common = { session_id: "s1", transcript_path: transcript };
    writeFileSync(
      transcript,
      line("user", "u1", "I work at Harbour Bank.") + line("assistant", "a1", [{ type: "text", text: "Good" }]),
    );
    await call("Stop", { ...common, last_assistant_message: "Good to know." });
    await until(() => said("s1").length > 0);
    expect(said("s1").map(({ id }) => id)).toEqual(["u1"]);
    writeFileSync(
      transcript,
      line("user", "u1", "I work at Harbour Bank.") +
        line("assistant", "a1", [{ type: "text", text: "Good to know." }]),
    );
    await call("PreCompact", { ...common, trigger: "auto", custom_instructions: "" });
    await call("SessionEnd", { ...common, reason: "other" });
    await until(() => said("s1").length === 2);
    expect(said("s1")[1]).toMatchObject({ id: "a1", content: "Good to know." });
  });

  it("are silent and end well whatever they are given, and put it on record", async () => {
    const { workspace, call, failures, folder } = hooked();
    for (const input of [
      "",
      "{",
      "[]",
      '{"session_id":7}',
      `{"session_id":"s1","prompt":${JSON.stringify("x".repeat(200_000))}}`,
    ]) {
      expect(await call("UserPromptSubmit", input)).toEqual({ code: 0, stdout: "", stderr: "" });
    }
    expect(await call("Elsewhere", { session_id: "s1" })).toEqual({ code: 0, stdout: "", stderr: "" });
    await call("Stop", { session_id: "s1", transcript_path: join(folder, "nothing.jsonl") });
    expect(failures()).toContain("there is no event Elsewhere");
    await until(() => readdirSync(join(workspace, ".tidemark/hooks/waiting")).length === 0);
    const status = await runCli(["status", "-w", workspace]);
    expect(status.stdout).toMatch(/Hooks\s+\d+ failed/);
    const doctor = await runCli(["doctor", "-w", workspace]);
    expect(doctor.stdout).toContain("hook");
    // A file in the way of the folder: there is nowhere to write, and the client is told nothing all the same.
    writeFileSync(join(folder, "file"), "");
    const nowhere = await runCli(["hook", "Stop", "--client", "claude-code", "-w", join(folder, "file", "below")], {
      input: "{}",
    });
    expect(nowhere).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("words that come with a hook", () => {
  it("are on the disk before it ends, stay while they cannot be stored, and are stored once and in order", async () => {
    const { workspace, call, said, host, failures } = hooked("codex");
    const waiting = () => readdirSync(join(workspace, ".tidemark/hooks/waiting")).filter((name) => /^\d/.test(name));
    // A folder in the place of a session's file: nothing of it can be stored, and the others go on.
    const inTheWay = join(workspace, "sessions/codex_s1.jsonl");
    mkdirSync(inTheWay, { recursive: true });
    const turn = (id: string) => ({ session_id: "s1", turn_id: id });
    const cold = await call("UserPromptSubmit", { ...turn("t1"), prompt: "I play the cello." });
    expect(cold).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(waiting()).toHaveLength(1);
    await call("Stop", { ...turn("t1"), last_assistant_message: "Lovely." });
    await until(() => host() !== undefined);
    // Two at once, and one of them enormous.
    await Promise.all([
      call("UserPromptSubmit", { ...turn("t2"), prompt: `And the flute.${" ".repeat(3_000_000)}Really.` }),
      call("UserPromptSubmit", { session_id: "s2", turn_id: "t1", prompt: "I live in Porto." }),
    ]);
    await until(() => failures().includes("codex_s1") && said("s2").length === 1);
    await until(() => waiting().length === 3);
    // The process is killed the hard way, the folder mended: the next one takes everything up.
    process.kill(host()?.pid ?? 0, "SIGKILL");
    await sleep(100);
    rmdirSync(inTheWay);
    await call("Stop", { ...turn("t2"), last_assistant_message: "Good." });
    await until(() => said("s1").length === 4 && said("s2").length === 1);
    expect(said("s1").map(({ role, content }) => [role, content?.slice(0, 14)])).toEqual([
      ["user", "I play the cel"],
      ["assistant", "Lovely."],
      ["user", "And the flute."],
      ["assistant", "Good."],
    ]);
    await until(() => waiting().length === 0);
    expect(failures()).toContain("memory was not awake");
  });

  it("are taken from a client that never closes its side", async () => {
    const { workspace, folder, said, stop } = hooked("codex");
    const bin = join(import.meta.dirname, "../../bin/tidemark.js");
    const child = spawn(process.execPath, [bin, "hook", "UserPromptSubmit", "--client", "codex", "-w", workspace], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, TIDEMARK_HOOK_PATIENCE: "20" },
    });
    onTestFinished(() => void child.kill());
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.stdin.write('{"session_id":"s1","prompt":"I keep {');
    await sleep(50);
    child.stdin.write('bees}."}');
    expect(await ended).toBe(0);
    await until(() => said("s1").length === 1);
    expect(said("s1")[0]?.content).toBe("I keep {bees}.");
    await stop();
  });

  it("bring what is recalled also where nobody is there, if someone wants to wait for it", async () => {
    const { workspace, call, stop } = hooked();
    writeFileSync(join(workspace, "config.json"), '{ "hooks": { "wakeMs": 3000 } }');
    mkdirSync(join(workspace, "docs"));
    mkdirSync(join(workspace, "memory/imported"));
    writeFileSync(join(workspace, "memory/imported/people.md"), "- My dentist is Dr. Okafor on Elm Street.\n");
    await call("SessionStart", { session_id: "s1" });
    await stop();
    const { stdout } = await call("UserPromptSubmit", { session_id: "s1", prompt: "Who is my dentist?" });
    expect(toldBy(stdout)).toContain("Okafor");
  });
});

describe("the hooks of other clients", () => {
  it("hand their words over themselves, each once", async () => {
    const { call, said } = hooked("codex");
    const common = {
      session_id: "01a1df77",
      turn_id: "t1",
      transcript_path: "/home/ana/.codex/sessions/rollout.jsonl",
      cwd: "/",
      model: "tide",
      permission_mode: "default",
    };
    await call("UserPromptSubmit", { ...common, hook_event_name: "UserPromptSubmit", prompt: "I play the cello." });
    await call("Stop", {
      ...common,
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "Lovely.",
    });
    await until(() => said("01a1df77").length === 2);
    // The same turn again, as a client may do after an error.
    await call("UserPromptSubmit", { ...common, prompt: "I play the cello." });
    await call("Stop", { ...common, last_assistant_message: "Lovely." });
    await call("Stop", { session_id: "01a1df77", messages: [{ id: "m9", role: "user", content: "And the flute." }] });
    await until(() => said("01a1df77").length === 3);
    expect(said("01a1df77").map(({ role, content }) => [role, content])).toEqual([
      ["user", "I play the cello."],
      ["assistant", "Lovely."],
      ["user", "And the flute."],
    ]);
  });
});
