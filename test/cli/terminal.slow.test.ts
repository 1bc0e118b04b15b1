import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../newcomer/open-terminal.ts";
import type { Terminal } from "../newcomer/open-terminal.ts";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli, workspaceWithTalk } from "./run-cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const TIDEMARK = `'${process.execPath}' '${join(ROOT, "bin/tidemark.js")}'`;
// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const COLOUR = /\u001B\[[0-9;]*(?:3[1-7]|9[0-7]|38;5;\d+)m/;

function open(workspace: string, more: Record<string, string> = {}, size = {}): Terminal {
  const environment = { PATH: process.env["PATH"] ?? "", HOME: temporaryFolder(), TZ: "UTC", ...more };
  return openTerminal(join(workspace, ".."), { ...environment, TIDEMARK_WORKSPACE: workspace }, size);
}

async function openChat(workspace: string, size = {}): Promise<Terminal> {
  const terminal = open(workspace, {}, size);
  terminal.type(`${TIDEMARK} chat`, "Enter");
  await terminal.shows(/\n> $/);
  return terminal;
}

/** Types a line, and waits for what it should bring. */
async function say(terminal: Terminal, line: string, answer: RegExp): Promise<string> {
  terminal.clear();
  terminal.type(line, "Enter");
  return terminal.shows(answer);
}

describe("a chat in a terminal", () => {
  it("has every slash command", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const terminal = await openChat(workspace);
    await say(terminal, "I live in Lisbon and I prefer green tea.", /Kept: “I live in Lisbon”[\s\S]*\n> $/);
    const help = await say(terminal, "/help", /\/help +lists the commands\n> $/);
    const names = [...help.matchAll(/^\/(\w+)/gm)].map(([, name = ""]) => name);
    expect(names.toSorted()).toEqual(
      "compact export forget help memory model new quit review search sessions status stop undo why".split(" "),
    );
    await say(terminal, "/compact", /Digested 2 messages: \+2 facts|There is nothing to digest\./);
    await say(terminal, "/status", /Session +cli:main, 2 messages: 2 digested, 0 not yet[\s\S]*Memory +2 facts/);
    await say(terminal, "/memory", /- “I live in Lisbon”[\s\S]*edit it as you like/);
    await say(terminal, "/search tea", /1\. [^\n]*green tea/);
    await say(terminal, "/why Lisbon", /“I live in Lisbon/);
    await say(terminal, "/why Paris", /No such fact is on record/);
    await say(terminal, "/review", /Nothing is waiting for you\./);
    await say(terminal, "/review accept", /Use \/review, \/review accept RUN or \/review reject RUN/);
    await say(terminal, "/model", /No model: answers come from memory alone/);
    await say(terminal, "/model tide", /The model tide is not in the form provider\/model/);
    await say(terminal, "/stop", /Nothing is running\./);
    await say(terminal, "/sessions", /cli:main +today/);
    await say(terminal, "/sessions no:such", /There is no session no:such/);
    const folder = join(temporaryFolder(), "export");
    await say(terminal, `/export ${folder}`, /2 messages in 1 session and 2 facts are in/);
    expect(readdirSync(folder)).toContain("memory");
    await say(terminal, "/forget yes", /Say what to forget first/);
    await say(
      terminal,
      "/forget green tea",
      /This would go, for good:[\s\S]*MEMORY\.md: [^\n]*green tea[\s\S]*\/forget yes/,
    );
    await say(terminal, "/forget yes", /Forgotten\. A scan of every byte/);
    expect(readFileSync(join(workspace, "memory/MEMORY.md"), "utf8")).toMatch(/Lisbon(?![\s\S]*tea)/);
    await say(terminal, "/new", /Started a new conversation\./);
    await say(terminal, "/undo", /Undone: |There is no change/);
    await say(terminal, "/hlep", /There is no command \/hlep; did you mean \/help\?/);
    terminal.type("", "C-d");
    await terminal.shows(/\$ $/);
  });

  it("completes commands and session names on Tab, and switches between sessions", async () => {
    const workspace = await workspaceWithTalk(1, "telegram:ana");
    const terminal = await openChat(workspace);
    terminal.type("/ex", "Tab");
    await terminal.shows(/> \/export $/);
    terminal.type("", "C-u");
    terminal.type("/s", "Tab");
    // The second is asked for only after the first was answered.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    terminal.type("", "Tab");
    await terminal.shows(/\/search[\s\S]*\/sessions/);
    terminal.type("", "C-u");
    terminal.type("/sessions te", "Tab");
    await terminal.shows(/> \/sessions telegram:ana $/);
    terminal.type("", "Enter");
    await terminal.shows(/You are in telegram:ana now, 2 messages\./);
  });

  it("takes a paste as one message, newline keys as newlines, and mixes nothing that is typed into an answer", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const model = await startModel(async (_, index) => {
      if (index === 0) await gate;
      return { text: `Answer number ${index}.` };
    });
    mkdirSync(workspace);
    writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
    const terminal = await openChat(workspace);
    terminal.type("the first", "Enter");
    await terminal.shows(/thinking/);
    terminal.type("typed ahead", "Enter");
    terminal.type("typed further ahead", "Enter");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(terminal.written()).not.toContain("typed ahead");
    go();
    const screen = await terminal.shows(/Answer number 2\.\n> $/);
    expect(screen).toMatch(
      /> the first\nAnswer number 0\.\n> typed ahead\nAnswer number 1\.\n> typed further ahead\nAnswer number 2\.\n> $/,
    );
    terminal.paste("pasted one\npasted two\n");
    await terminal.shows(/> pasted one⏎pasted two $/);
    terminal.type(" end", "Enter");
    await terminal.shows(/Answer number 3\.\n> $/);
    terminal.type("one", "M-Enter");
    terminal.type("two", "C-j");
    terminal.type("three\\", "Enter");
    await terminal.shows(/\n… $/);
    terminal.type("four", "Enter");
    await terminal.shows(/Answer number 4\.\n> $/);
    const said = readFileSync(join(workspace, "sessions/cli_main.jsonl"), "utf8");
    expect(said).toContain(String.raw`"content":"pasted one\npasted two end"`);
    expect(said).toContain(String.raw`"content":"one\ntwo\nthree\nfour"`);
  });

  it("wraps at words, in a narrow window too", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const words = "antidisestablishmentarian tides wash over granite breakwaters every morning before breakfast";
    const model = await startModel(() => ({ text: `${words}\n\n- ${words}\n` }));
    mkdirSync(workspace);
    writeFileSync(join(workspace, "config.json"), JSON.stringify(model.config));
    const terminal = await openChat(workspace, { columns: 40, rows: 30 });
    terminal.type("tell me", "Enter");
    const screen = await terminal.shows(/breakfast\n[\s\S]*breakfast\n+> $/);
    const answer = screen.slice(screen.indexOf("antidis"));
    for (const line of answer.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
    for (const word of words.split(" ")) expect(answer.split(new RegExp(`\\b${word}\\b`)).length).toBe(3);
  });
});

describe("results in a terminal", () => {
  it("go through the pager where they are long, and nowhere else", async () => {
    const workspace = await workspaceWithTalk(40);
    const terminal = open(workspace, { TIDEMARK_PAGER: "sed s/^/paged:/" }, { rows: 20 });
    await say(terminal, `${TIDEMARK} sessions show telegram:1`, /paged:[^\n]*number 39[\s\S]*\$ $/);
    await say(terminal, `${TIDEMARK} sessions show telegram:1 -n 2; echo over`, /number 39[\s\S]*over\n/);
    expect(await terminal.shows(/over\n\$ $/)).not.toContain("paged:");
    const piped = await say(terminal, `${TIDEMARK} sessions show telegram:1 | tail -3; echo over`, /\nover\n\$ $/);
    expect(piped).not.toContain("paged:");
    await say(
      terminal,
      `TIDEMARK_PAGER= ${TIDEMARK} sessions show telegram:1 | cat; echo bye`,
      /number 39[\s\S]*bye\n/,
    );
  });

  it("have colours in diff and log, and none with NO_COLOR, TERM=dumb or a pipe", async () => {
    const workspace = await workspaceWithTalk(3);
    expect(await runCli(["consolidate", "--all", "-w", workspace])).toMatchObject({ code: 0 });
    const written = async (command: string) => {
      const terminal = open(workspace, { TIDEMARK_PAGER: "" });
      terminal.type(`${command}; echo over`, "Enter");
      await terminal.shows(/\nover\n\$ $/);
      return terminal.written();
    };
    for (const command of [`${TIDEMARK} diff r1`, `${TIDEMARK} log`]) {
      expect(await written(command)).toMatch(COLOUR);
      for (const plain of [`NO_COLOR=1 ${command}`, `TERM=dumb ${command}`, `${command} | cat`])
        expect([plain, COLOUR.exec(await written(plain))?.[0]]).toEqual([plain, undefined]);
    }
  });
});

describe("long work in a terminal", () => {
  /** Lines of many sessions; importing them takes a while. */
  function manyLines(sessions: number): string {
    const path = join(temporaryFolder(), "talk.jsonl");
    const lines = Array.from({ length: sessions * 4 }, (_, index) => ({
      session: `telegram:${index >> 2}`,
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: `I like tea number ${index}. ${"The tide comes and goes. ".repeat(40)}`,
      timestamp: new Date(Date.UTC(2026, 8, 1) + index * 60_000).toISOString(),
    }));
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
    return path;
  }

  it("shows a bar for imports and the first index, and goes on after Ctrl-C", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const path = manyLines(1500);
    const terminal = open(workspace);
    terminal.type(`${TIDEMARK} import ${path}`, "Enter");
    await terminal.shows(/Importing lines [\d,]+ of 6,000/);
    terminal.type("", "C-c");
    await terminal.shows(/\$ $/);
    await say(terminal, `${TIDEMARK} import ${path}`, /messages? added to [\d,]+ sessions?; already there: [\d,]+\n/);
    const status = await runCli(["sessions", "--json", "-w", workspace]);
    const listed: { sessions: { messages: number }[] } = JSON.parse(status.stdout);
    expect(listed.sessions.length).toBe(1500);
    expect(listed.sessions.every(({ messages }) => messages === 4)).toBe(true);
    await say(terminal, `${TIDEMARK} search "tea number 77"`, /^1\. [\s\S]*\$ $/m);
    expect(terminal.written()).toMatch(/Reading files [\d,]+ of|Embedding passages [\d,]+ of/);
    const backup = join(temporaryFolder(), "b.tar.gz");
    await say(terminal, `${TIDEMARK} backup ${backup}`, /Backing up, MB/);
    terminal.type("", "C-c");
    await terminal.shows(/stopped; nothing was written\n\$ $/);
    expect(existsSync(backup)).toBe(false);
    expect(readdirSync(join(backup, "..")).length).toBe(0);
    expect(readdirSync(join(workspace, ".tidemark")).filter((name) => name.startsWith("backup-"))).toEqual([]);
    await say(terminal, `${TIDEMARK} backup ${backup}`, /1,50\d files, [\d,]+ bytes in/);
    await say(terminal, `${TIDEMARK} forget --since 2026-09-03 --dry-run | tail -1`, /sessions\/telegram_\d+\.jsonl/);
    expect(terminal.written()).toMatch(/Searching sessions [\d,]+ of 1,500/);
    const target = join(temporaryFolder(), "export");
    await say(terminal, `${TIDEMARK} export ${target}`, /Exporting sessions [\d,]+ of 1,500/);
    terminal.type("", "C-c");
    await terminal.shows(/\$ $/);
    await say(terminal, `${TIDEMARK} export ${target}`, /6,000 messages in 1,500 sessions/);
  });

  it("shows a bar for a replay, of a single session too", async () => {
    const workspace = await workspaceWithTalk(400);
    const terminal = open(workspace);
    await say(terminal, `${TIDEMARK} replay --model digest`, /Replayed 800 messages of 1 session into/);
    expect(terminal.written()).toMatch(/Replaying messages \d+ of 800 \(\d+ %\)/);
  });
});
