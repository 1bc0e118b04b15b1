// @module-tag postgres
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editDocument } from "../../src/cli/edit-document.ts";
import type { Store } from "../../src/store/store.ts";
import { CRASH_PLACES } from "../crash/crash-places.ts";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli } from "./run-cli.ts";
import type { CliResult } from "./run-in-one.ts";

const BEFORE = "# Memory\n\n## Facts\n\n- Likes tea\n- Lives in Porto\n- Has a boat\n";

/** An editor that does what a shell does with "$1". */
function editorOf(script: string): string {
  const path = join(temporaryFolder(), "editor.sh");
  writeFileSync(path, script);
  return `sh ${path}`;
}

// Beside MEMORY.md no other name needs to be given.
async function edit(workspace: string, script: string, ...args: string[]): Promise<CliResult> {
  return runCli(["edit", ...args], { env: { TIDEMARK_STORE: workspace, EDITOR: editorOf(script) } });
}

/** The draft that a message names. */
function draftIn(stderr: string): string {
  const path = /your text is in (\S+)/.exec(stderr)?.[1] ?? "";
  expect(path.startsWith(join(tmpdir(), "tidemark-edit-"))).toBe(true);
  return readFileSync(path, "utf8");
}

const drafts = () => readdirSync(tmpdir()).filter((name) => name.startsWith("tidemark-edit-"));

describe.each(CRASH_PLACES)("tidemark edit, in $name", ({ create }) => {
  it("saves what an editor changed, on record; leaves alone what it did not, or may not", async () => {
    const workspace = create();
    const memory = await open({ workspace, passive: true });
    await memory.replaceMemory(BEFORE);
    const saved = await edit(workspace, 'sed -i "s/tea/coffee/" "$1"');
    expect([saved.code, saved.stderr]).toEqual([0, "tidemark: memory/MEMORY.md is saved\n"]);
    expect(await memory.readMemory()).toBe(BEFORE.replace("tea", "coffee"));
    const looking = await open({ workspace, readOnly: true });
    expect((await looking.trust.log()).map(({ author }) => author)[0]).toBe("person");
    await memory.remember("cli:a", { fact: "Plays chess", by: "test" });
    expect((await memory.trust.log()).map(({ author }) => author)).toContain("person");
    const shown = await memory.readMemory();
    expect((await edit(workspace, "true")).stderr).toContain("is as it was");
    const other = await edit(workspace, 'printf "the plan\\n" > "$1"', "docs/plan.md");
    expect([other.code, await memory.store.documents.read("docs/plan.md")]).toEqual([0, "the plan\n"]);
    for (const [path, words] of [
      ["sessions/cli_a.jsonl", "what was said is never changed"],
      ["./sessions/../sessions/cli_a.jsonl", "what was said is never changed"],
      ["changes/memory.jsonl", "never changed"],
      [".tidemark/queue.sqlite", "what is hidden is Tidemark's own"],
      ["../outside.md", "outside the workspace"],
    ] as const) {
      const refused = await edit(workspace, 'echo x > "$1"', path);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(words)]);
    }
    expect(await memory.readMemory()).toBe(shown);
  });

  it("keeps the draft of an editor that failed or wrote no configuration, and saves nothing", async () => {
    const workspace = create();
    const memory = await open({ workspace, passive: true });
    await memory.replaceMemory(BEFORE);
    const before = drafts();
    const quiet = await edit(workspace, "exit 3");
    expect([quiet.code, quiet.stderr]).toEqual([1, expect.stringMatching(/editor sh \S+ failed: it exited with 3/)]);
    expect(quiet.stderr).not.toContain("your text");
    expect(drafts()).toEqual(before);
    const failed = await edit(workspace, 'echo "- Half" >> "$1"; exit 3');
    expect(draftIn(failed.stderr)).toBe(`${BEFORE}- Half\n`);
    const wrong = await edit(workspace, 'printf "{ not json" > "$1"', "config.json");
    expect([wrong.code, draftIn(wrong.stderr)]).toEqual([1, "{ not json"]);
    expect(await memory.readMemory()).toBe(BEFORE);
    expect((await memory.store.documents.read("config.json")) ?? "").not.toContain("not json");
  });

  it("merges what others changed meanwhile, and shows both sides where they changed the same lines", async () => {
    const workspace = create();
    const memory = await open({ workspace, passive: true });
    await memory.replaceMemory(BEFORE);
    const meanwhile = async (script: string, text: string): Promise<CliResult> => {
      const folder = temporaryFolder();
      const wait = `touch ${folder}/open; while ! [ -e ${folder}/go ]; do sleep 0.05; done; ${script}`;
      const editing = edit(workspace, wait);
      while (!existsSync(join(folder, "open"))) await new Promise((resolve) => setTimeout(resolve, 20));
      await memory.replaceMemory(text);
      writeFileSync(join(folder, "go"), "");
      return editing;
    };
    const merged = await meanwhile('sed -i "s/tea/coffee/" "$1"', `${BEFORE}- Plays chess\n`);
    expect([merged.code, merged.stderr]).toEqual([0, expect.stringContaining("merged with what changed meanwhile")]);
    const both = `${BEFORE.replace("tea", "coffee")}- Plays chess\n`;
    expect(await memory.readMemory()).toBe(both);
    const theirs = both.replace("Porto", "Lisbon");
    const clash = await meanwhile('sed -i "s/Porto/Faro/" "$1"', theirs);
    expect(clash.code).toBe(1);
    expect(clash.stderr).toContain('conflict in memory/MEMORY.md: yours "- Lives in Faro", theirs "- Lives in Lisbon"');
    expect(draftIn(clash.stderr)).toBe(both.replace("Porto", "Faro"));
    expect(await memory.readMemory()).toBe(theirs);
  });
});

ofFolder("another window saves the file")(
  "tidemark edit merges what another window saves right before it writes, and keeps what is written anew after a forget",
  async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, passive: true });
    await memory.replaceMemory(BEFORE);
    const path = join(workspace, "memory/MEMORY.md");
    let saves = 0;
    const saveFirst = () => {
      if (saves++ === 0) writeFileSync(path, `${BEFORE}- Plays chess\n`);
    };
    const { documents } = memory.store;
    const write: typeof documents.write = (name, content) => {
      saveFirst();
      return documents.write(name, content);
    };
    const memoryFiles: Store["memoryFiles"] = (scope) => {
      const files = memory.store.memoryFiles(scope);
      const replace: typeof files.replace = (...given) => {
        saveFirst();
        return files.replace(...given);
      };
      return { ...files, replace };
    };
    const store = { ...memory.store, documents: { ...documents, write }, memoryFiles };
    const environment = { EDITOR: editorOf('sed -i "s/tea/coffee/" "$1"') };
    expect(await editDocument(store, "memory/MEMORY.md", environment)).toEqual({ kind: "merged" });
    expect(readFileSync(path, "utf8")).toBe(`${BEFORE.replace("tea", "coffee")}- Plays chess\n`);
    await memory.trust.forget({ text: "boat" });
    await editDocument(store, "memory/MEMORY.md", { EDITOR: editorOf('echo "- Has a boat" >> "$1"') });
    await memory.remember("cli:a", { fact: "Sails in June", by: "test" });
    expect(await memory.readMemory()).toContain("- Has a boat\n");
  },
);

describe.each(CRASH_PLACES)("tidemark pull and push, from $name", ({ create }) => {
  it("show where both sides changed the same lines, and write neither", async () => {
    const workspace = create();
    const memory = await open({ workspace, passive: true });
    await memory.replaceMemory(BEFORE);
    const folder = join(temporaryFolder(), "pulled");
    const run = (verb: string) => runCli([verb, folder], { env: { TIDEMARK_STORE: workspace } });
    expect(await run("pull")).toMatchObject({ code: 0 });
    const here = join(folder, "memory/MEMORY.md");
    writeFileSync(here, BEFORE.replace("Porto", "Faro"));
    await memory.replaceMemory(BEFORE.replace("Porto", "Lisbon"));
    for (const verb of ["push", "pull"]) {
      const { code, stderr } = await run(verb);
      expect([code, stderr]).toEqual([1, expect.stringContaining('here "- Lives in Faro", there "- Lives in Lisbon"')]);
    }
    expect(await memory.readMemory()).toBe(BEFORE.replace("Porto", "Lisbon"));
    expect(readFileSync(here, "utf8")).toBe(BEFORE.replace("Porto", "Faro"));
    writeFileSync(here, `${BEFORE.replace("Porto", "Lisbon")}- Plays chess\n`);
    expect(await run("pull")).toMatchObject({ code: 0 });
    expect(await run("push")).toMatchObject({ code: 0 });
    expect(await memory.readMemory()).toBe(`${BEFORE.replace("Porto", "Lisbon")}- Plays chess\n`);
  });
});
