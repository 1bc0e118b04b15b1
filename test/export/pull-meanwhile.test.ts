import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pullFolder, pushFolder } from "../../src/export/pull-folder.ts";
import type { Memory } from "../../src/index.ts";
import type { Store } from "../../src/store/store.ts";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { beforeEachChange } from "../support/before-each-change.ts";

const BEFORE = "# Memory\n\n- Likes tea\n- Lives in Porto\n- Has a boat\n";
const PLAN = "# Plan\n\n- sail\n- rest\n";

async function prepare() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace, passive: true });
  await memory.replaceMemory(BEFORE);
  await memory.store.documents.write("docs/plan.md", PLAN);
  const folder = join(temporaryFolder(), "pulled");
  await pullFolder(memory.store, "w", folder);
  return { workspace, memory, here: (path: string) => join(folder, path), folder };
}

/** A store in which something happens right before each writing of a document, and right after it. */
function around({ store }: Memory, before: (path: string) => void, after: (path: string) => void): Store {
  const within = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    before(path);
    const done = await work();
    after(path);
    return done;
  };
  const documents: Store["documents"] = {
    ...store.documents,
    write: (path, content) => within(path, () => store.documents.write(path, content)),
    remove: (path) => within(path, () => store.documents.remove(path)),
  };
  const memoryFiles: Store["memoryFiles"] = (scope) => {
    const files = store.memoryFiles(scope);
    const replace: typeof files.replace = (file, ...given) =>
      within(`${files.folder}/${file}`, () => files.replace(file, ...given));
    return { ...files, replace };
  };
  return { ...store, documents, memoryFiles };
}

it("what a person saves in the folder while it is pushed stays there, and the next push brings it", async () => {
  const { memory, folder, here } = await prepare();
  const paths = ["docs/plan.md", "memory/MEMORY.md"];
  const read = (path: string) => memory.store.documents.read(path);
  for (const path of paths) appendFileSync(here(path), "- First\n");
  // The workspace has changed as well, so that the file in the folder is written anew.
  await memory.replaceMemory(BEFORE.replace("tea", "coffee"));
  await memory.store.documents.write("docs/plan.md", PLAN.replace("Plan", "The plan"));
  const pushed = await pushFolder(
    around(
      memory,
      () => undefined,
      (path) => appendFileSync(here(path), "- Second\n"),
    ),
    "w",
    folder,
  );
  expect([pushed.changed.toSorted(), pushed.conflicts]).toEqual([paths, []]);
  expect(readFileSync(here("memory/MEMORY.md"), "utf8")).toBe(`${BEFORE}- First\n- Second\n`);
  expect(readFileSync(here("docs/plan.md"), "utf8")).toBe(`${PLAN}- First\n- Second\n`);
  expect((await pushFolder(memory.store, "w", folder)).merged.toSorted()).toEqual(paths);
  const after = [PLAN.replace("Plan", "The plan"), BEFORE.replace("tea", "coffee")].map(
    (text) => `${text}- First\n- Second\n`,
  );
  expect(await Promise.all(paths.map(read))).toEqual(after);
  expect(paths.map((path) => readFileSync(here(path), "utf8"))).toEqual(after);
});

it("a file that a person puts back while its removal is pushed is there, and comes back with the next push", async () => {
  const { memory, folder, here } = await prepare();
  rmSync(here("docs/plan.md"));
  const back = (path: string) => writeFileSync(here(path), "after all\n");
  await pushFolder(
    around(memory, () => undefined, back),
    "w",
    folder,
  );
  expect(readFileSync(here("docs/plan.md"), "utf8")).toBe("after all\n");
  await pushFolder(memory.store, "w", folder);
  expect(await memory.store.documents.read("docs/plan.md")).toBe("after all\n");
});

it("a push that waited for the memory brings what was saved in the folder meanwhile, too", async () => {
  const { memory, folder, here } = await prepare();
  appendFileSync(here("memory/MEMORY.md"), "- First\n");
  const locks: Store["locks"] = {
    ...memory.store.locks,
    with(name, work, maxWaitMs) {
      appendFileSync(here("memory/MEMORY.md"), "- Second\n");
      return memory.store.locks.with(name, work, maxWaitMs);
    },
  };
  await pushFolder({ ...memory.store, locks }, "w", folder);
  expect(await memory.readMemory()).toBe(`${BEFORE}- First\n- Second\n`);
  expect(readFileSync(here("memory/MEMORY.md"), "utf8")).toBe(`${BEFORE}- First\n- Second\n`);
});

it("what a person saves in the folder while it is pulled is merged", async () => {
  const { memory, folder, here } = await prepare();
  await memory.replaceMemory(BEFORE.replace("tea", "coffee"));
  let saves = 0;
  const save = (call: string, path: string) => {
    // While what shall take the place of the file is written beside it.
    if (call === "open" && path.startsWith(here("memory/.MEMORY.md")) && saves++ === 0)
      appendFileSync(here("memory/MEMORY.md"), "- Mine\n");
  };
  const pulled = await beforeEachChange(folder, save, () => pullFolder(memory.store, "w", folder));
  expect([saves, pulled]).toMatchObject([2, { merged: ["memory/MEMORY.md"], conflicts: [] }]);
  const both = `${BEFORE.replace("tea", "coffee")}- Mine\n`;
  expect(readFileSync(here("memory/MEMORY.md"), "utf8")).toBe(both);
  await pushFolder(memory.store, "w", folder);
  expect(await memory.readMemory()).toBe(both);
});

ofFolder("another window saves the file")(
  "a push merges what another window saves in the workspace right before it writes, or a moment later",
  async () => {
    const { workspace, memory, folder, here } = await prepare();
    const path = join(workspace, "memory/MEMORY.md");
    appendFileSync(here("memory/MEMORY.md"), "- Mine\n");
    let saves = 0;
    const save = () => {
      if (saves++ === 0) writeFileSync(path, BEFORE.replace("tea", "coffee"));
    };
    await pushFolder(
      around(memory, save, () => undefined),
      "w",
      folder,
    );
    const both = `${BEFORE.replace("tea", "coffee")}- Mine\n`;
    expect([readFileSync(path, "utf8"), readFileSync(here("memory/MEMORY.md"), "utf8")]).toEqual([both, both]);
    // An editor that had the file open.
    const late = readFileSync(path, "utf8");
    appendFileSync(here("memory/MEMORY.md"), "- Mine as well\n");
    const file = openSync(path, "r+");
    await pushFolder(memory.store, "w", folder);
    writeSync(file, `${late}- Theirs\n`, 0);
    closeSync(file);
    expect(await memory.readMemory()).toBe(`${late}- Mine as well\n`);
    await memory.remember("cli:a", { fact: "Plays chess", by: "test" });
    expect(await memory.readMemory()).toContain("- Theirs\n");
  },
);
