import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendDurably, replaceFile } from "../src/store/files/disk.ts";
import { open, talk } from "./support/talk.ts";
import { temporaryFolder } from "./support/workspace.ts";

describe("a file that is replaced", () => {
  it.each([0o444, 0o600, 0o640, 0o644])("keeps its mode %o; a new one is its owner's alone", async (mode) => {
    const path = join(temporaryFolder(), "MEMORY.md");
    await replaceFile(path, "one");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, mode);
    await replaceFile(path, "two");
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["two", mode]);
  });

  it("stays a link, also one to a link, and one to a file that is not there yet", async () => {
    const folder = temporaryFolder();
    const elsewhere = join(temporaryFolder(), "kept.md");
    const link = join(folder, "MEMORY.md");
    symlinkSync(elsewhere, join(folder, "between.md"));
    symlinkSync("between.md", link);
    await replaceFile(link, "one");
    await replaceFile(link, "two");
    expect(readFileSync(elsewhere, "utf8")).toBe("two");
    expect([lstatSync(link).isSymbolicLink(), readlinkSync(link)]).toEqual([true, "between.md"]);
  });

  it("is so as MEMORY.md through remembering and digesting", async () => {
    const workspace = temporaryFolder();
    const elsewhere = join(temporaryFolder(), "mine.md");
    mkdirSync(join(workspace, "memory"));
    writeFileSync(elsewhere, "# Memory\n\n- Has a boat\n", { mode: 0o444 });
    symlinkSync(elsewhere, join(workspace, "memory/MEMORY.md"));
    const memory = await open({ workspace });
    expect(await memory.remember("cli:a", { fact: "Likes tea", by: "test" })).toMatchObject({ kind: "saved" });
    await (await memory.session("cli:a")).appendAll([{ role: "user", content: "I prefer green tea." }, ...talk(3)]);
    await memory.consolidate("cli:a", { all: true });
    const text = readFileSync(elsewhere, "utf8");
    expect(text).toContain("Has a boat");
    expect(text).toContain("Likes tea");
    expect(lstatSync(join(workspace, "memory/MEMORY.md")).isSymbolicLink()).toBe(true);
    expect(statSync(elsewhere).mode & 0o777).toBe(0o444);
  });
});

describe("an append that fails", () => {
  it("is not on the disk, or says that it may be", async () => {
    const path = join(temporaryFolder(), "log");
    writeFileSync(path, "before\n");
    const file = await openFile(path, "a");
    const failing = (names: readonly string[]) =>
      new Proxy(file, {
        get(target, name) {
          if (names.includes(String(name))) return () => Promise.reject(new Error(`${String(name)} failed`));
          const member: unknown = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
    await expect(appendDurably(failing(["datasync"]), Buffer.from("more\n"), 7)).rejects.toThrow("datasync failed");
    expect(readFileSync(path, "utf8")).toBe("before\n");
    await expect(appendDurably(failing(["datasync", "truncate"]), Buffer.from("more\n"), 7)).rejects.toThrow(
      /datasync failed; it could not be reverted, and may be on the disk/,
    );
    await expect(appendDurably(file, Buffer.from("x"), 12, "/nonexistent/folder")).rejects.toThrow(/ENOENT/);
    expect(readFileSync(path, "utf8")).toBe("before\nmore\n");
    await file.close();
  });
});

describe("sessions that are kept elsewhere", () => {
  it("belong to one workspace: a second one that links to them is refused, the first one goes on", async () => {
    const shared = join(temporaryFolder(), "sessions");
    mkdirSync(shared);
    const [one, other] = [temporaryFolder(), temporaryFolder()];
    for (const workspace of [one, other]) symlinkSync(shared, join(workspace, "sessions"));
    const memory = await open({ workspace: one });
    await (await memory.session("cli:a")).appendAll(talk(4));
    await expect(open({ workspace: other })).rejects.toThrow(/sessions of another workspace/);
    await memory.close();
    expect((await (await open({ workspace: one })).session("cli:a")).length).toBe(4);
    const owner = temporaryFolder();
    await open({ workspace: owner });
    const guest = temporaryFolder();
    symlinkSync(join(owner, "sessions"), join(guest, "sessions"));
    await expect(open({ workspace: guest })).rejects.toThrow(/sessions of another workspace/);
  });
});
