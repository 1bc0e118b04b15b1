import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMemory } from "../../src/index.ts";
import { digest } from "../../src/store/files/held-copies.ts";
import { openFilesStore } from "../../src/store/files/open-files-store.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { filesHolding } from "./place.ts";

const SECRET = "Zanzibar";

/** A memory that says it, and an editor that shows it: `save` is told what the editor's window says then. */
async function prepare() {
  const workspace = temporaryFolder();
  const memory = await open({ workspace });
  await memory.remember("cli:a", { fact: "Ana likes tea", by: "user" });
  await memory.remember("cli:a", { fact: `Ana plans a trip to ${SECRET}`, by: "user" });
  const path = join(workspace, "memory", "MEMORY.md");
  return { workspace, memory, path, shown: readFileSync(path, "utf8") };
}

describe("an editor that shows what is forgotten", () => {
  it("and has the file open saves its line, and does not bring it back", async () => {
    const { workspace, memory, path, shown } = await prepare();
    const file = openSync(path, "r+");
    expect((await memory.trust.forget({ text: SECRET })).kind).toBe("forgotten");
    ftruncateSync(file);
    writeSync(file, `${shown}- by hand\n`, 0);
    closeSync(file);
    await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
    const text = await memory.readMemory();
    for (const words of ["by hand", "likes tea", "has a boat"]) expect(text.split(words)).toHaveLength(2);
    await memory.close();
    expect(filesHolding(workspace, SECRET)).toEqual([]);
  });

  describe.each(["HISTORY.md", "2026-11-02-trips.md"])("in %s", (name) => {
    const kept = "## Garden\n\nAna planted roses.\n";
    const shown = `${kept}\n## Trip\n\nAna plans a trip to ${SECRET}.\n`;
    it.each([
      ["adds a line to it", (file: number) => writeSync(file, "\nby hand\n", shown.length)],
      [
        "saves all of it",
        (file: number) => {
          ftruncateSync(file);
          writeSync(file, `by hand\n${shown}`, 0);
        },
      ],
    ])("and %s later loses nothing, and brings nothing back", async (_, save) => {
      const { workspace, memory } = await prepare();
      const path = join(workspace, "memory", name);
      writeFileSync(path, shown);
      const file = openSync(path, "r+");
      expect((await memory.trust.forget({ text: SECRET })).kind).toBe("forgotten");
      save(file);
      closeSync(file);
      await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
      const text = readFileSync(path, "utf8");
      for (const words of ["by hand", "planted roses"]) expect(text.split(words)).toHaveLength(2);
      await memory.close();
      expect(filesHolding(workspace, SECRET)).toEqual([]);
    });

    it("and saves right before a forget that is killed then loses nothing", async () => {
      const { workspace, memory } = await prepare();
      const folder = join(workspace, "memory");
      // The names have changed places: ours is in, and theirs lies under the name that tells of both.
      const stem = `.${name}.${digest(shown)}01234567`;
      writeFileSync(join(folder, name), kept);
      writeFileSync(join(folder, `${stem}.was.draft`), shown);
      writeFileSync(join(folder, `${stem}${digest(kept)}.swap.draft`), `${shown}\nby hand\n`);
      expect((await memory.trust.forget({ text: SECRET })).kind).toBe("forgotten");
      await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
      const text = readFileSync(join(folder, name), "utf8");
      for (const words of ["by hand", "planted roses"]) expect(text.split(words)).toHaveLength(2);
      await memory.close();
      expect(filesHolding(workspace, SECRET)).toEqual([]);
      expect(readdirSync(folder).filter((each) => each.includes(".swap."))).toEqual([]);
    });
  });

  it.each(["", '{"0123', "[]"])(
    "and a forget that was killed while it wrote down %j keep nobody from going on",
    async (half) => {
      const { workspace, memory } = await prepare();
      writeFileSync(join(workspace, "memory/.MEMORY.md.0123456789abcdef.gone.draft"), half);
      await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
      expect(await memory.readMemory()).toContain("has a boat");
      expect((await memory.trust.forget({ text: SECRET })).kind).toBe("forgotten");
      await memory.close();
      expect(filesHolding(workspace, SECRET)).toEqual([]);
    },
  );

  it("and is saved while a change is under way leaves no trace of it in the records", async () => {
    const { workspace, memory, path, shown } = await prepare();
    await memory.trust.forget({ text: SECRET });
    let window: string | undefined = `${shown}- by hand\n`;
    const other = await openMemory({
      workspace,
      store: {
        name: workspace,
        async open(setting) {
          const store = await openFilesStore(workspace, setting);
          const append: typeof store.changes.append = async (scope, line) => {
            await store.changes.append(scope, line);
            if (window !== undefined) writeFileSync(path, window);
            window = undefined;
          };
          const changes = { ...store.changes, append };
          return { ...store, changes, atomically: (work) => work({ ...store, changes }) };
        },
      },
    });
    await other.remember("cli:a", { fact: "Ana has a boat", by: "user" });
    expect(filesHolding(workspace, SECRET)).toEqual([]);
    const text = await other.readMemory();
    for (const words of ["by hand", "likes tea", "has a boat"]) expect(text.split(words)).toHaveLength(2);
    for (const each of [memory, other]) await each.close();
    expect(filesHolding(workspace, SECRET)).toEqual([]);
  });

  it("is none when someone says it anew, of whomever", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    await memory.remember("cli:a", { fact: "likes tea", heading: "Ana", by: "user" });
    await memory.remember("cli:a", { fact: "has a dog", heading: "Ana", by: "user" });
    await memory.trust.forget({ text: "likes tea" });
    for (const heading of ["Ben", "Ana"])
      expect(await memory.remember("cli:b", { fact: "likes tea", heading, by: "user" })).toMatchObject({
        kind: "saved",
      });
    await memory.remember("cli:b", { fact: "has a cat", heading: "Ben", by: "user" });
    expect((await memory.readMemory()).split("- likes tea\n")).toHaveLength(3);
    await memory.trust.forget({ text: "likes tea" });
    await memory.remember("cli:b", { fact: "sails", heading: "Ben", by: "user" });
    expect(await memory.readMemory()).not.toContain("likes tea");
  });

  it("and appends to the file that it has open keeps its line", async () => {
    const { workspace, memory, path } = await prepare();
    const file = openSync(path, "a");
    await memory.trust.forget({ text: SECRET });
    writeSync(file, "- by hand\n");
    closeSync(file);
    await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
    const text = await memory.readMemory();
    for (const words of ["by hand", "likes tea", "has a boat"]) expect(text.split(words)).toHaveLength(2);
    expect(text).not.toContain("\0");
    await memory.close();
    expect(filesHolding(workspace, SECRET)).toEqual([]);
  });

  it("and saves all of it anew keeps its line, and does not bring it back", async () => {
    const { workspace, memory, path, shown } = await prepare();
    await memory.trust.forget({ text: SECRET });
    writeFileSync(path, `${shown}- by hand\n`);
    await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
    const text = await memory.readMemory();
    for (const words of ["by hand", "likes tea", "has a boat"]) expect(text.split(words)).toHaveLength(2);
    await memory.close();
    expect(filesHolding(workspace, SECRET)).toEqual([]);
  });

  it("keeps what another says in the same words", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const path = join(workspace, "memory", "MEMORY.md");
    await memory.remember("cli:a", { fact: "likes tea", by: "user" });
    const shown = `# Memory\n\n## Ana ${SECRET}\n\n- likes tea\n\n## Ben\n\n- likes tea\n`;
    writeFileSync(path, shown);
    await memory.remember("cli:a", { fact: "has a boat", by: "user" });
    await memory.trust.forget({ text: SECRET });
    writeFileSync(path, `${shown}- by hand\n`);
    await memory.remember("cli:a", { fact: "has a car", by: "user" });
    const text = await memory.readMemory();
    expect(text).toMatch(/## Ben\n\n- likes tea\n/);
    expect(text).toContain("by hand");
    expect(text).not.toContain(SECRET);
    await memory.close();
  });

  it("is taken at its word some minutes later", async () => {
    const { workspace, memory, path } = await prepare();
    await memory.trust.forget({ text: SECRET });
    const folder = join(workspace, "memory");
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(folder))
      if (name.endsWith(".draft")) utimesSync(join(folder, name), longAgo, longAgo);
    writeFileSync(path, `${readFileSync(path, "utf8")}- Ana plans a trip to ${SECRET}\n`);
    await memory.remember("cli:a", { fact: "Ana has a boat", by: "user" });
    expect(await memory.readMemory()).toContain(SECRET);
    await memory.close();
  });
});
