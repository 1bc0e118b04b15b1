import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { expectOneLine, linesFile, runCli, runJson, workspaceWithTalk } from "./run-cli.ts";
import { runMany } from "./run-in-one.ts";

const root = join(import.meta.dirname, "../..");
const bin = join(root, "bin/tidemark.js");

/** The help of every command; one process for all of them, because starting one for each would take a minute. */
async function collectHelp(): Promise<Map<string, string>> {
  const paths = createProgram().commands.flatMap((command) => [
    [command.name()],
    ...command.commands.map((each) => [command.name(), each.name()]),
  ]);
  const asked = [["--help"], ["help", "all"], ...paths.map((path) => [...path, "--help"])];
  const results = await runMany(asked);
  return new Map(
    asked.map((words, index) => {
      const { code, stdout, stderr } = results[index] ?? { code: null, stdout: "", stderr: "" };
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
      return [["tidemark", ...words.filter((word) => word !== "--help")].join(" "), stdout];
    }),
  );
}

async function chosenWorkspace(args: readonly string[], env: Record<string, string>) {
  const { stdout } = await runCli([...args, "--json"], { env });
  const { workspace }: { workspace: { path: string; source: string } } = JSON.parse(stdout);
  return workspace;
}

/** An option for Node that makes it emit a warning while the program runs. */
function emitWarning(name: string): string {
  return `--import=data:text/javascript,setImmediate(()=>process.emitWarning("heed","${name}"))`;
}

describe("help", () => {
  it("of every command is as it was, and is all that goes to stdout", async () => {
    const all = await collectHelp();
    for (const [command, help] of all) expect(help).toMatchSnapshot(command);
    expect([...all.keys()]).toEqual(expect.arrayContaining(["tidemark", "tidemark sessions show", "tidemark doctor"]));
    const listed = (text = "") => [...text.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name = ""]) => name);
    const names = createProgram().commands.map((command) => command.name());
    expect(listed(all.get("tidemark"))).toHaveLength(10);
    expect(listed(all.get("tidemark help all")).toSorted()).toEqual(names.toSorted());
  });
});

describe("wrong usage", () => {
  it.each([
    [["statsu"], "did you mean status"],
    [["status", "--jsn"], "did you mean --json"],
    [["sessions", "lst"], "did you mean list"],
    [["help", "statsu"], "unknown command 'statsu'; did you mean status?"],
    [["help", "nope"], "unknown command 'nope'; tidemark --help lists the commands"],
    [["help", "coppy"], "unknown command 'coppy'; did you mean copy?"],
    [["help", "zzzzzz"], "unknown command 'zzzzzz'; tidemark --help lists the commands"],
    [["help", "sessions", "shwo"], "unknown command 'sessions shwo'; did you mean sessions show?"],
    [["help", "status", "more"], "unknown command 'status more'; status has no commands"],
    [["ls"], "tidemark sessions the conversations"],
    [["-w", "/nowhere", "list"], "tidemark blame lists the facts"],
    [["get", "tea"], "tidemark search finds what was said"],
    [["delete", "tea"], "tidemark retire takes one fact out"],
    [["rm", "tea"], "tidemark forget removes every trace"],
    [["search", "tea", "--min-score", "2"], "from 0 to 1"],
    [["sessions", "show"], "missing required argument 'key'"],
    [["status", "more"], "too many arguments"],
    [["status", "-w"], "argument missing"],
    [["sessions", "show", "a", "--limit", "0"], "whole number"],
    [["sessions", "show", "a", "--limit", "x"], "whole number"],
  ])("ends %j with exit 2 and one line", async (args, hint) => {
    const line = expectOneLine(await runCli(args), 2);
    expect(line.toLowerCase()).toContain(hint);
  });

  it("prints the help to stderr when no command is named", async () => {
    const bare = await runCli([]);
    expect(bare).toMatchObject({ code: 2, stdout: "" });
    expect(bare.stderr).toContain("Usage: tidemark");
  });
});

describe("failures", () => {
  it("names the key of a bad configuration, in one line, for every command", async () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "config.json"), '{"agents": {"defaults": {"memoryWindo": 5}}}');
    for (const args of [["status"], ["config"], ["sessions", "list"], ["consolidate"], ["import", linesFile([])]]) {
      const line = expectOneLine(await runCli([...args, "-w", workspace]), 1);
      expect(line).toContain("config.json: agents.defaults.memoryWindo is unknown; did you mean memoryWindow?");
    }
  });

  it("says in one line that a configuration does not parse", async () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "config.json"), '{"agents": \n\n nonsense');
    expect(expectOneLine(await runCli(["status", "-w", workspace]), 1)).toContain("config.json:3:2 is not valid JSON");
  });

  it("says in one line that a workspace cannot be made", async () => {
    const file = linesFile([]);
    const line = expectOneLine(await runCli(["import", file, "-w", join(file, "inside")]), 1);
    expect(line).toContain("Cannot make the folder");
  });

  it("says in one line that the queue is no database", async () => {
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, ".tidemark"));
    writeFileSync(join(workspace, ".tidemark/queue.sqlite"), "this is not a database, whatever its name says");
    expect(expectOneLine(await runCli(["status", "-w", workspace]), 1)).toContain("queue.sqlite");
  });

  it("shows the stack to whoever asks for it", async () => {
    const file = linesFile([]);
    const { stderr } = await runCli(["status", "-w", join(file, "inside")], { env: { TIDEMARK_DEBUG: "1" } });
    expect(stderr).toMatch(/\n\s+at /);
  });

  it("needs no key of a model to look", async () => {
    const workspace = await workspaceWithTalk(2);
    writeFileSync(join(workspace, "config.json"), '{"agents": {"defaults": {"model": "openai/gpt-5"}}}');
    expect(await runCli(["status", "-w", workspace])).toMatchObject({ code: 0 });
    expect(await runCli(["sessions", "list", "-w", workspace])).toMatchObject({ code: 0 });
    const line = expectOneLine(await runCli(["consolidate", "--all", "-w", workspace]), 1);
    expect(line).toContain("No key for openai: set OPENAI_API_KEY");
  });
});

describe("the workspace", () => {
  it("is the one of -w, wherever that stands, else of TIDEMARK_WORKSPACE, else in the home folder", async () => {
    const [asked, named, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const env = { TIDEMARK_WORKSPACE: named, HOME: home };
    expect(await chosenWorkspace(["config", "-w", asked], env)).toEqual({ path: asked, source: "--workspace" });
    expect(await chosenWorkspace(["-w", asked, "config"], env)).toEqual({ path: asked, source: "--workspace" });
    expect(await chosenWorkspace(["-w", named, "config", "-w", asked], env)).toEqual({
      path: asked,
      source: "--workspace",
    });
    expect(await chosenWorkspace(["config"], env)).toEqual({ path: named, source: "TIDEMARK_WORKSPACE" });
    expect(await chosenWorkspace(["config"], { HOME: home })).toEqual({
      path: join(home, ".tidemark/workspace"),
      source: "default",
    });
    const { sessions } = await runJson<{ sessions: unknown[] }>(["sessions", "-w", asked, "list"]);
    expect(sessions).toEqual([]);
  });
});

describe("surroundings", () => {
  it("ends quietly when the reader of a pipe leaves", async () => {
    const workspace = await workspaceWithTalk(3000);
    const child = spawn(process.execPath, [bin, "sessions", "show", "telegram:1", "-w", workspace]);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code]: unknown[] = await once(child, "close");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("does not pass on that Node calls its SQLite experimental, but passes on other warnings", async () => {
    const workspace = temporaryFolder();
    const quiet = await runCli(["status", "-w", workspace], { node: [emitWarning("ExperimentalWarning")] });
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    const heard = await runCli(["status", "-w", workspace], { node: [emitWarning("Warning")] });
    expect(heard).toMatchObject({ code: 0, stderr: "tidemark: heed\n" });
  });

  it("prints its version", async () => {
    const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const word of ["--version", "-v", "-V", "version"])
      expect(await runCli([word])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  const oldNode = ["/usr/local/bin/node", "/usr/bin/node"].find((path) => {
    if (!existsSync(path)) return false;
    const [major, minor] = spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.split(".");
    return Number(major) < 22 || (Number(major) === 22 && Number(minor) < 18);
  });
  it.skipIf(oldNode === undefined)("says in one sentence that a Node is too old", () => {
    const result = spawnSync(oldNode ?? "", [bin, "status"], { encoding: "utf8", env: {} });
    expect(result.stderr).toMatch(/^tidemark needs Node 22\.18 or newer; this is Node [\d.]+\.\n$/);
    expect(result).toMatchObject({ status: 1, stdout: "" });
  });
});
