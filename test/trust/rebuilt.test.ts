import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Change } from "../../src/history/change.ts";
import { openMemory } from "../../src/index.ts";
import { runCli } from "../cli/run-cli.ts";
import { runInOne } from "../cli/run-in-one.ts";
import { temporaryFolder } from "../support/workspace.ts";

/** A workspace in which everything happened that can: facts told, edited, digested, decided about, undone, forgotten. */
async function live(): Promise<string> {
  const workspace = join(temporaryFolder(), "workspace");
  const memory = await openMemory({ workspace, config: { consolidation: { review: true } } });
  await memory.remember("cli:a", { fact: "Ana sails", heading: "Ana", by: "user" });
  const { id: first } = (await memory.history.list({ last: 1 }))[0] ?? { id: "" };
  await memory.remember("cli:a", { fact: "Ben is going to Zanzibar", heading: "Ben", by: "agent" });
  appendFileSync(join(workspace, "memory/MEMORY.md"), "- By hand: the key is under the mat\n");
  const session = await memory.session("cli:a");
  await session.append({ role: "user", content: "My name is Cleo Reis. I live in Porto. I keep bees." });
  await memory.consolidate("cli:a", { all: true });
  const [proposal] = await memory.review();
  await memory.decide({ change: proposal?.change ?? "", verdict: "accept", items: [1], by: "user" });
  await memory.decide({ change: proposal?.change ?? "", verdict: "reject", items: [1], by: "user" });
  await memory.remember("cli:a", { fact: "Ana sails on Sundays", replaces: "Ana sails", by: "user" });
  await memory.undo({ by: "user" });
  await memory.remember("cli:a", { fact: "Dora paints", by: "user" });
  await memory.trust.restore(first, "user");
  await memory.undo({ by: "user" });
  await memory.trust.forget({ text: "Zanzibar" });
  await memory.retire("cli:a", "Dora paints", "user");
  await memory.remember("cli:a", { fact: "Ana sails on Mondays", replaces: "Ana sails", by: "user" });
  await memory.close();
  // Seen by those who look, and not on record yet.
  appendFileSync(join(workspace, "memory/MEMORY.md"), "- By hand, and not yet noticed\n");
  return workspace;
}

/** Deletes everything of the program's own but the queue. */
function deleteCaches(workspace: string): void {
  const own = join(workspace, ".tidemark");
  for (const name of readdirSync(own)) if (!name.startsWith("queue.")) rmSync(join(own, name), { recursive: true });
}

/** What each command says, on the shipped command line. The time at which a save is seen is that of the look. */
async function answers(workspace: string): Promise<string[]> {
  const ids = changesIn(workspace).map(({ id }) => id);
  const commands = [
    ["log", "-n", "100"],
    ["blame"],
    ["review"],
    ["status"],
    ...["sails", "the key", "paints", "Porto", "noticed"].map((words) => ["why", words]),
    ...ids.map((id) => ["diff", id]),
    ["diff", ids[0] ?? "", ids.at(-2) ?? ""],
  ];
  const said: string[] = [];
  for (const command of commands) {
    const { code, stdout, stderr } = await runInOne([...command, "-w", workspace]);
    const text = stdout
      .replaceAll(/^(?:\d{4}-\d\d-\d\d \d\d:\d\d)(?=  \S+  edit by person$)/gm, "now")
      .replaceAll(/^(?<lead>.*?)\d{4}-\d\d-\d\d \d\d:\d\d(?<rest>.*edit by person$)/gm, "$<lead>now$<rest>")
      .replaceAll(/^(Last change ).*$/gm, "$1now");
    said.push(`${command.join(" ")} ${code}\n${text}${stderr}`);
  }
  return said;
}

function changesIn(workspace: string): Change[] {
  const [, ...lines] = readFileSync(join(workspace, "changes/memory.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => Change.parse(JSON.parse(line)));
}

function filesIn(workspace: string): Map<string, string> {
  const names = ["memory", "changes", "sessions"].flatMap((folder) =>
    readdirSync(join(workspace, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const files = names.filter((name) => statSync(join(workspace, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(workspace, name), "utf8")]));
}

describe("what .tidemark holds besides the queue", () => {
  it("can be deleted, and log, diff, why, blame, review and status on the command line say the same", async () => {
    const workspace = await live();
    const [before, files] = [await answers(workspace), filesIn(workspace)];
    expect(before.join("\n")).toContain("By hand, and not yet noticed");
    deleteCaches(workspace);
    expect(await answers(workspace)).toEqual(before);
    expect(filesIn(workspace)).toEqual(files);
  }, 120_000);

  it("can be deleted, and every change is undone, or not, as it would have been", async () => {
    const workspace = await live();
    const ids = changesIn(workspace).map(({ id }) => id);
    const kinds = new Set<string>();
    for (const id of [undefined, ...ids]) {
      const [one, other] = ["one", "other"].map((name) => join(temporaryFolder(), name));
      if (one === undefined || other === undefined) throw new Error("there are two");
      for (const copy of [one, other]) cpSync(workspace, copy, { recursive: true });
      deleteCaches(other);
      const undo = async (place: string) => {
        const memory = await openMemory({ workspace: place, passive: true });
        const outcome = await memory.undo({ id, by: "user" }).catch((error: unknown) => String(error));
        await memory.close();
        kinds.add(typeof outcome === "string" ? "error" : outcome.kind);
        // A save that is noticed now has the time of now.
        return JSON.stringify(outcome).replaceAll(/"at":"[^"]*"/g, "");
      };
      expect(await undo(other)).toBe(await undo(one));
      const text = (place: string) => readFileSync(join(place, "memory/MEMORY.md"), "utf8");
      expect(text(other)).toBe(text(one));
    }
    expect(kinds).toEqual(new Set(["undone", "nothing", "conflict", "error"]));
  }, 120_000);
});

describe("the log of changes", () => {
  it("ends in the newest change, as JSON on a line of its own", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const memory = await openMemory({ workspace });
    for (const fact of ["Ana sails", "Ben reads"]) {
      await memory.remember("cli:a", { fact, by: "user" });
      const last = readFileSync(join(workspace, "changes/memory.jsonl"), "utf8").trimEnd().split("\n").at(-1) ?? "";
      const [newest] = await memory.trust.log({ limit: 1 });
      expect(JSON.parse(last)).toMatchObject({
        id: newest?.id,
        cause: "remember",
        edits: [{ kind: "add", text: fact }],
      });
    }
    await memory.close();
  });

  it("is private, with all that lies beside it, under any umask, also after something was forgotten", async () => {
    const workspace = join(temporaryFolder(), "workspace");
    const tool = (fact: string) =>
      runCli(["tool", "remember", JSON.stringify({ fact }), "-w", workspace], { umask: 0 });
    const modes = () => {
      const names = readdirSync(workspace, { recursive: true, encoding: "utf8" });
      return names.flatMap((name) => {
        const stat = statSync(join(workspace, name));
        return (stat.mode & 0o077) === 0 ? [] : [`${name} ${(stat.mode & 0o777).toString(8)}`];
      });
    };
    expect(await runCli(["init", "-w", workspace], { umask: 0 })).toMatchObject({ code: 0 });
    expect(await tool("Ana sails")).toMatchObject({ code: 0 });
    expect(await tool("Ben reads")).toMatchObject({ code: 0 });
    expect(await runCli(["log", "-w", workspace], { umask: 0 })).toMatchObject({ code: 0 });
    expect(readdirSync(join(workspace, "changes"))).toEqual(["memory.jsonl"]);
    expect(modes()).toEqual([]);
    expect(await runCli(["forget", "sails", "--yes", "-w", workspace], { umask: 0 })).toMatchObject({ code: 0 });
    expect(readdirSync(join(workspace, "changes"))).toContain("last-forgetting");
    deleteCaches(workspace);
    expect(await runCli(["undo", "-w", workspace], { umask: 0 })).toMatchObject({ code: 0 });
    expect(modes()).toEqual([]);
  });
});
