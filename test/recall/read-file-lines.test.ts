import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileDocuments } from "../../src/store/files/file-documents.ts";
import { readFileLines } from "../../src/recall/read-file-lines.ts";
import { makePlace } from "../search/place.ts";

describe("readFileLines", () => {
  it("reads the lines that a hit points to", async () => {
    const place = makePlace();
    place.write("memory/2026-01-01.md", "one\ntwo\nthree\nfour\n");
    const read = (from?: number, lines?: number) =>
      readFileLines(createFileDocuments(place.workspace), "memory", { path: "memory/2026-01-01.md", from, lines });
    expect(await read(2, 2)).toEqual({
      path: "memory/2026-01-01.md",
      startLine: 2,
      endLine: 3,
      totalLines: 4,
      text: "two\nthree",
    });
    expect((await read()).text).toBe("one\ntwo\nthree\nfour");
    expect(await read(99)).toMatchObject({ startLine: 4, text: "four" });
    await expect(read(0)).rejects.toThrow(/whole numbers/);
  });

  it.each(["../x", "/etc/passwd", "memory/../../x", "sessions/cli_main.jsonl", "memory", "config.json", "memory/\0"])(
    "refuses %j, which is no file in memory/ or docs/ (case 66)",
    async (path) => {
      const place = makePlace();
      place.write("memory/MEMORY.md", "- a\n");
      place.write("sessions/cli_main.jsonl", "{}\n");
      await expect(readFileLines(createFileDocuments(place.workspace), "memory", { path })).rejects.toMatchObject({
        code: "PATH_REFUSED",
      });
    },
  );

  it("refuses a link that leads out, and says what is missing", async () => {
    const place = makePlace();
    const outside = makePlace();
    outside.write("secret.md", "secret\n");
    mkdirSync(join(place.workspace, "memory"));
    symlinkSync(join(outside.workspace, "secret.md"), join(place.workspace, "memory/link.md"));
    symlinkSync(outside.workspace, join(place.workspace, "memory/folder"));
    for (const path of ["memory/link.md", "memory/folder/secret.md"]) {
      await expect(readFileLines(createFileDocuments(place.workspace), "memory", { path })).rejects.toMatchObject({
        code: "PATH_REFUSED",
      });
    }
    await expect(
      readFileLines(createFileDocuments(place.workspace), "memory", { path: "docs/x.md" }),
    ).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("refuses the memory of others, also by a link, and does not say whether it is there", async () => {
    const place = makePlace();
    place.write("memory/scopes/telegram_bob/MEMORY.md", "- a secret\n");
    place.write("memory/scopes/telegram_alice/MEMORY.md", "- her own\n");
    symlinkSync("scopes/telegram_bob/MEMORY.md", join(place.workspace, "memory/link.md"));
    const read = (path: string) =>
      readFileLines(createFileDocuments(place.workspace), "memory/scopes/telegram_alice", { path });
    for (const path of [
      "memory/scopes/telegram_bob/MEMORY.md",
      "memory/scopes/telegram_bob/nothing.md",
      "memory/scopes/telegram_alice/../telegram_bob/MEMORY.md",
      "memory/link.md",
    ]) {
      await expect(read(path)).rejects.toMatchObject({ code: "PATH_REFUSED" });
    }
    expect(await read("memory/scopes/telegram_alice/MEMORY.md")).toMatchObject({ text: "- her own" });
  });
});
