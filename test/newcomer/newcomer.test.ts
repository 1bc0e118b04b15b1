import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startModel } from "../support/model-server.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { openTerminal } from "./open-terminal.ts";

const ROOT = join(import.meta.dirname, "../..");
const packed = { folder: "", tarball: "" };

function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
  packed.folder = execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim();
  const words = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", packed.folder];
  packed.tarball = join(packed.folder, run("npm", words, ROOT).trim().split("\n").at(-1) ?? "");
});

describe("the package", () => {
  it("can be published, and imported by other programs", () => {
    const bin = join(ROOT, "node_modules/.bin");
    expect(run(join(bin, "publint"), ["--strict", packed.tarball], ROOT)).toMatch(/All good/i);
    const types = run(join(bin, "attw"), [packed.tarball, "--profile", "esm-only", "--no-emoji"], ROOT);
    expect(types.match(/node16 \(from ESM\): OK/g)).toHaveLength(3);
    expect(types.match(/bundler: OK/g)).toHaveLength(3);
  });
});

describe("a newcomer with the tarball", () => {
  it("installs, chats, adds a model, imports, searches and looks at it in a browser", async () => {
    const home = temporaryFolder();
    const prefix = join(home, "npm");
    mkdirSync(prefix);
    run("npm", ["install", "-g", "--prefix", prefix, "--loglevel=error", packed.tarball], home);
    const model = await startModel(() => ({ text: "Bom dia, **Ada**." }));
    const terminal = openTerminal(home, {
      PATH: `${join(prefix, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: home,
      TZ: "UTC",
      OLLAMA_HOST: model.url.replace("/v1", ""),
    });
    await terminal.shows(/\$ $/);
    // A slip first: what is wrong is said, and nothing is made.
    terminal.type("tidemark status", "Enter");
    await terminal.shows(/There is no workspace yet/);
    terminal.type("tidemark chat", "Enter");
    await terminal.shows(/no model · cli:main, 0 messages[\s\S]*\n> /);
    terminal.type("My name is Ada and I live in Lisbon", "Enter");
    await terminal.shows(/Kept: “[^”]*Ada[^”]*”; “[^”]*Lisbon/);
    terminal.paste("I work at Acme\nI have a cat called Tom");
    terminal.type("", "Enter");
    await terminal.shows(/Acme[\s\S]*Tom/);
    terminal.type("/why Acme", "Enter");
    await terminal.shows(/Acme[\s\S]*\n +\d{4}-/);
    terminal.type("", "C-d");
    await terminal.shows(/\$ $/);

    terminal.clear();
    terminal.type("tidemark init", "Enter");
    await terminal.shows(/Workspace \[/);
    terminal.type("", "Enter");
    await terminal.shows(/1 {2}ollama\/tide \(Ollama on this machine\)[\s\S]*Model: /);
    terminal.type("1", "Enter");
    await terminal.shows(/ollama\/tide answers/);
    terminal.type("tidemark chat -m 'good morning'", "Enter");
    await terminal.shows(/Bom dia, Ada\./);
    expect(model.requests.at(-1)?.messages.some(({ content }) => JSON.stringify(content).includes("Lisbon"))).toBe(
      true,
    );

    const talk = join(home, "talk.jsonl");
    const line = {
      session: "notes:1",
      id: "1",
      role: "user",
      content: "I sail on Sundays.",
      timestamp: "2026-10-04T09:00:00Z",
    };
    writeFileSync(talk, `${JSON.stringify(line)}\n`);
    terminal.clear();
    terminal.type("tidemark import talk.jsonl", "Enter");
    await terminal.shows(/1 message added to 1 session/);
    terminal.type("tidemark search sailing --since 2026-10", "Enter");
    await terminal.shows(/I sail on Sundays/);
    terminal.type("tidemark sessions", "Enter");
    await terminal.shows(/cli:main[\s\S]*My name is Ada/);

    terminal.clear();
    terminal.type("tidemark ui --no-open", "Enter");
    const screen = await terminal.shows(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(screen) ?? [];
    expect(await (await fetch(address)).text()).toContain("<title>");
    terminal.type("", "C-c");
    await terminal.shows(/\$ $/);
    expect(readFileSync(join(home, ".tidemark/workspace/memory/MEMORY.md"), "utf8")).toContain("in Lisbon");
  });
});

describe("a newcomer with a clone", () => {
  it("installs without a screenful of warnings, and starts", () => {
    const home = temporaryFolder();
    run("git", ["clone", "--quiet", "--depth", "1", `file://${ROOT}`, "clone"], home);
    const clone = join(home, "clone");
    const told = execFileSync("npm", ["ci"], { cwd: clone, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    expect(told).not.toMatch(/EBADENGINE/);
    const answer = execFileSync("npm", ["start", "--silent"], {
      cwd: clone,
      encoding: "utf8",
      input: "I live in Lisbon\nwhere do I live?\n",
      env: { ...process.env, HOME: home },
      stdio: ["pipe", "pipe", "ignore"],
    });
    expect(answer).toContain("in Lisbon");
  });
});
