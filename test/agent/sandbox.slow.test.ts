import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { callTool } from "../support/agent.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const trial = spawnSync("/usr/bin/bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], { encoding: "utf8" });
const whyNot =
  trial.error !== undefined
    ? "bubblewrap is not installed (/usr/bin/bwrap)"
    : trial.status === 0
      ? undefined
      : `bubblewrap cannot make namespaces here: ${trial.stderr.trim()}`;
if (whyNot !== undefined) process.stderr.write(`The sandbox is not tried: ${whyNot}\n`);

const SECRET = "the-provider-key-0123456789";

function makeWorkspace(): string {
  const workspace = temporaryFolder();
  for (const folder of ["docs", "sessions", "memory/scopes/other"])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, "docs/a.md"), "the sea\n");
  writeFileSync(join(workspace, "sessions/other.jsonl"), `${SECRET}\n`);
  writeFileSync(join(workspace, "memory/scopes/other/MEMORY.md"), `${SECRET}\n`);
  writeFileSync(join(workspace, "config.json"), `{"providers": {"x": {"apiKey": "${SECRET}"}}}`);
  return workspace;
}

async function openWith(workspace: string) {
  return open({ workspace, config: { tools: { exec: { allow: ["nice", "cat", "grep"] } } } });
}

describe.skipIf(whyNot !== undefined)("a real program that a person allowed, in bubblewrap", () => {
  it("sees the workspace, and nothing of what is hidden from the session", async () => {
    const workspace = makeWorkspace();
    const memory = await openWith(workspace);
    const run = async (script: string) => (await callTool(memory, "exec", { command: `nice sh -c '${script}'` })).text;
    expect(await run("cat docs/a.md")).toBe("the sea");
    expect(await run("cat docs/a.md | tr a-z A-Z")).toBe("THE SEA");
    for (const script of [
      "cat config.json",
      "cat sessions/*",
      "cat memory/scopes/*/*",
      "grep -r provider-key . /tmp /etc /root /home 2>/dev/null",
      `cat ${workspace}/.tidemark/*`,
      `strings ${workspace}/.tidemark/queue.sqlite`,
      `cat ${workspace}/changes/*`,
      "cat /proc/*/environ",
      "cat /etc/shadow /etc/passwd",
      "ls /root /home",
    ]) {
      expect(await run(script), script).not.toMatch(new RegExp(`${SECRET}|root:`));
    }
  });

  it("changes nothing, and reaches no network", async () => {
    const workspace = makeWorkspace();
    const memory = await openWith(workspace);
    for (const script of [
      "echo x > docs/b.md",
      "rm docs/a.md",
      "echo x > config.json",
      "touch memory/x sessions/x .tidemark/x /usr/x",
      "mount -o remount,rw . && echo x > docs/b.md",
    ]) {
      const { text: output } = await callTool(memory, "exec", { command: `nice sh -c '${script}'` });
      expect(output, script).toMatch(/exit status [1-9]/);
    }
    expect(readFileSync(join(workspace, "docs/a.md"), "utf8")).toBe("the sea\n");
    expect(readFileSync(join(workspace, "config.json"), "utf8")).toContain(SECRET);
    const { text: links } = await callTool(memory, "exec", { command: "nice sh -c 'cat /proc/net/dev'" });
    expect(links.match(/^\s*\w+:/gm) ?? []).toEqual([expect.stringContaining("lo:")]);
  });

  it("has an empty environment and no descriptor but its three, whatever its starter has", async () => {
    const workspace = makeWorkspace();
    const secret = openSync(join(workspace, "config.json"), "r");
    // A program of its own, as only what is handed down at the start stays open across one.
    const script = `
      import { openMemory } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      import { listTools } from ${JSON.stringify(new URL("../../src/agent/tools.ts", import.meta.url).href)};
      const memory = await openMemory({ workspace: ${JSON.stringify(workspace)}, config: { tools: { exec: { allow: ["nice"] } } } });
      const exec = listTools(memory.config).find(({ definition }) => definition.name === "exec");
      const world = { memory, session: "cli:main", model: "t/m", signal: new AbortController().signal, noteSaved: () => undefined };
      for (const command of ["nice sh -c env", "nice sh -c 'for fd in /proc/self/fd/*; do echo fd $(readlink $fd); done; cat /proc/self/fd/40'"])
        console.log((await exec.run(JSON.stringify({ command }), world)).text);
      await memory.close();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env: { PATH: process.env["PATH"], OPENAI_API_KEY: SECRET },
      // Far from the others: Node looks after the first few.
      stdio: ["ignore", "pipe", "pipe", ...Array.from({ length: 37 }, () => "ignore" as const), secret],
    });
    const streams = [child.stdout, child.stderr].map((stream) => text(stream ?? Readable.from([])));
    const [output = "", errors] = await Promise.all(streams);
    expect(output, errors).not.toContain(SECRET);
    const names = [...output.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(["LANG", "PATH", "PWD"]));
    const links = [...output.matchAll(/^fd (.*)$/gm)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter((link) => !/^(?:pipe|socket):|^\/dev\/null$|^\/proc\/|^$/.test(link))).toEqual([]);
    expect(links.filter((link) => /^(?:pipe|socket):/.test(link)).length).toBeLessThanOrEqual(4);
  });

  it("is ended when its time is up, with all that it started", async () => {
    const memory = await open({
      workspace: makeWorkspace(),
      config: { tools: { exec: { allow: ["nice"], timeoutSeconds: 1 } } },
    });
    const { text: output } = await callTool(memory, "exec", { command: "nice sh -c 'sleep 99 & sleep 99'" });
    expect(output).toContain("[stopped after 1 s]");
  });
});
