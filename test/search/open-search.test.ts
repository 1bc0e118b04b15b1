// @module-tag long
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, countingEmbedder, makePlace, textsFor } from "./place.ts";

describe("index.sqlite", () => {
  const damage: [string, (path: string) => void][] = [
    ["deleted", (path) => rmSync(path)],
    ["emptied", (path) => truncateSync(path, 0)],
    ["cut in half", (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ["overwritten", (path) => writeFileSync(path, "no database at all ".repeat(1_000))],
    [
      "of an older version",
      (path) => {
        const database = new DatabaseSync(path);
        database.exec("UPDATE about SET value = '0' WHERE name = 'format'");
        database.close();
      },
    ],
    [
      "of a newer version",
      (path) => {
        const database = new DatabaseSync(path);
        database.exec("PRAGMA user_version = 99");
        database.close();
      },
    ],
  ];

  it.each(damage)("is rebuilt with the same hits when it was %s (case 61)", async (_, harm) => {
    const place = makePlace();
    for (let day = 10; day < 30; day++) place.write(`memory/2026-01-${day}.md`, `- tide number ${day} came in\n`);
    const first = await place.open({ embedder: countingEmbedder() });
    const before = (await ask(first, "tide 17")).results;
    await first.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${place.indexPath}${suffix}`, { force: true });
    harm(place.indexPath);
    const second = await place.open({ embedder: countingEmbedder() });
    expect((await ask(second, "tide 17")).results).toEqual(before);
  });

  it("is made anew when it is deleted under an open search", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the tide\n");
    const search = await place.open();
    expect(await textsFor(search, "tide")).toHaveLength(1);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${place.indexPath}${suffix}`, { force: true });
    expect(await textsFor(search, "tide")).toHaveLength(1);
    expect(existsSync(place.indexPath)).toBe(true);
  });

  it("is private, and made anew when passages are cut otherwise", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", `${"A sentence about the tide. ".repeat(60)}\n`);
    const first = await place.open();
    expect(await textsFor(first, "tide")).toHaveLength(1);
    expect(statSync(place.indexPath).mode & 0o777).toBe(0o600);
    await first.close();
    const second = await place.open({ chunkTokens: 100, chunkOverlap: 10 });
    await second.sync();
    expect((await second.size()).passages).toBeGreaterThan(3);
  });

  it("notices a session file that was written anew, not only longer", async () => {
    const place = makePlace();
    place.say("cli:main", [{ content: "the first version of a long enough line" }]);
    const search = await place.open();
    expect(await textsFor(search, "first version")).toHaveLength(1);
    const path = join(place.workspace, "sessions/cli_main.jsonl");
    const lines = [{ content: "the second version of a long enough line" }, { content: "and more of it" }];
    writeFileSync(path, lines.map((line) => `${JSON.stringify({ role: "user", ...line })}\n`).join(""));
    expect(await textsFor(search, "first")).toEqual([]);
    expect(await textsFor(search, "second version")).toHaveLength(2);
  });

  const LONG_TALK = 5 * 1024 * 1024;
  it.each([
    ["in place", 20_000, false],
    ["in place, and it grew", 20_000, true],
    ["in place, in a long talk", LONG_TALK, false],
    ["by another file of its name, in a long talk that grew", LONG_TALK, true],
  ])("notices a session file that was edited in its middle: %s", async (how, bytes, grew) => {
    const place = makePlace();
    const filler = () => Array.from({ length: bytes / 2_000 }, () => ({ content: "ballast ".repeat(120) }));
    place.say("cli:main", [...filler(), { content: "the codename is zebrafish" }, ...filler()]);
    const search = await place.open();
    expect((await textsFor(search, "codename zebrafish"))[0]).toContain("zebrafish");
    const path = join(place.workspace, "sessions/cli_main.jsonl");
    const edited = readFileSync(path, "utf8").replace("zebrafish", "jellyfish");
    writeFileSync(how.startsWith("by another") ? `${path}.new` : path, edited);
    if (how.startsWith("by another")) renameSync(`${path}.new`, path);
    if (grew) place.say("cli:main", [{ content: "and one more" }]);
    expect((await textsFor(search, "codename zebrafish")).join()).not.toContain("zebrafish");
    expect((await textsFor(search, "codename jellyfish"))[0]).toContain("jellyfish");
  });

  it("reads of a long talk that grows no more than what is new", async () => {
    const place = makePlace();
    place.say(
      "cli:main",
      Array.from({ length: 6_000 }, () => ({ content: "ballast ".repeat(120) })),
    );
    const search = await place.open();
    await search.sync();
    const { passages } = await search.size();
    place.say("cli:main", [{ content: "one more about the codename" }]);
    expect((await textsFor(search, "codename"))[0]).toContain("codename");
    expect((await search.size()).passages).toBe(passages + 1);
  });

  it("leaves a torn last line until it is whole", async () => {
    const place = makePlace();
    place.say("cli:main", [{ content: "whole" }]);
    const path = join(place.workspace, "sessions/cli_main.jsonl");
    const line = JSON.stringify({ role: "user", content: "halfway there" });
    writeFileSync(path, readFileSync(path, "utf8") + line.slice(0, 20));
    const search = await place.open();
    expect(await textsFor(search, "halfway")).toEqual([]);
    writeFileSync(path, `${readFileSync(path, "utf8")}${line.slice(20)}\n`);
    expect(await textsFor(search, "halfway there")).toContain("halfway there");
  });

  it.skipIf(process.getuid?.() === 0)("says which file it cannot read, and searches the others", async () => {
    const place = makePlace();
    place.write("memory/a.md", "- the tide\n");
    place.write("memory/b.md", "- the tide\n");
    chmodSync(join(place.workspace, "memory/b.md"), 0o000);
    const answer = await ask(await place.open(), "tide");
    expect(answer.results).toHaveLength(1);
    expect(answer.notes.join()).toContain("memory/b.md");
  });

  it.skipIf(process.getuid?.() === 0)(
    "says which folder it may not look into, and keeps what it has of it",
    async () => {
      const place = makePlace();
      place.write("memory/open.md", "- the tide\n");
      place.write("memory/private/a.md", "- the private tide\n");
      const search = await place.open({ watch: { intervalMs: 60_000 } });
      expect(await textsFor(search, "tide")).toHaveLength(2);
      for (const mode of [0o000, 0o400]) {
        chmodSync(join(place.workspace, "memory/private"), mode);
        place.write("memory/open.md", `- the tide at ${mode}\n`);
        const answer = await ask(search, "tide");
        chmodSync(join(place.workspace, "memory/private"), 0o700);
        expect(answer.results.map(({ text }) => text)).toContain(`- the tide at ${mode}`);
        expect(answer.results.map(({ text }) => text)).toContain("- the private tide");
        expect(answer.notes.join()).toContain("memory/private/ (EACCES)");
      }
      expect((await ask(search, "tide")).notes).toEqual([]);
    },
  );

  it.skipIf(process.platform === "win32")("searches the rest where a folder lies too deep to be read", async () => {
    const place = makePlace();
    place.write("memory/a.md", "- the tide\n");
    const dig = 'i=0; while [ $i -lt 30 ]; do mkdir "$1" && cd "$1"; i=$((i+1)); done; true';
    const memory = join(place.workspace, "memory");
    execFileSync("sh", ["-c", dig, "sh", "n".repeat(200)], { cwd: memory });
    // Node itself cannot remove it, either.
    onTestFinished(() => void execFileSync("rm", ["-rf", memory]));
    const answer = await ask(await place.open({ watch: { intervalMs: 60_000 } }), "tide");
    expect(answer.results).toHaveLength(1);
    expect(answer.notes.join()).toMatch(/Cannot look into memory\/n+…\/ \(ENAMETOOLONG\)/);
  });

  it("follows no link out of the workspace", async () => {
    const place = makePlace();
    const outside = makePlace();
    outside.write("memory/secret.md", "- the secret tide\n");
    place.write("memory/MEMORY.md", "- the tide\n");
    const { symlinkSync } = await import("node:fs");
    symlinkSync(join(outside.workspace, "memory/secret.md"), join(place.workspace, "memory/link.md"));
    symlinkSync(outside.workspace, join(place.workspace, "memory/folder"));
    expect(await textsFor(await place.open(), "tide")).toEqual(["- the tide"]);
  });
});

describe("several processes", () => {
  it("index and search one workspace at once without a lock error (case 61)", async () => {
    const place = makePlace();
    for (let file = 0; file < 40; file++) {
      const lines = Array.from({ length: 20 }, (_, line) => `- the tide of file ${file} line ${line}`);
      place.write(`memory/file-${file}.md`, lines.join("\n"));
    }
    const script = `
      import { openFolderSearch } from ${JSON.stringify(join(import.meta.dirname, "../support/folder-search.ts"))};
      import { recall } from ${JSON.stringify(join(import.meta.dirname, "../../src/recall/recall.ts"))};
      import { writeFileSync } from "node:fs";
      const [workspace, indexPath, name] = process.argv.slice(1);
      const search = await openFolderSearch({ workspace, indexPath, timezone: "UTC" });
      for (let round = 0; round < 8; round++) {
        writeFileSync(workspace + "/memory/own-" + name + ".md", "- process" + name + " wrote round" + round + "\\n");
        const answer = await recall(search, "process" + name + " round" + round, { now: new Date(), timezone: "UTC" });
        if (answer.stale) throw new Error("stale: " + answer.notes);
        if (!answer.results[0]?.text.includes("process" + name + " wrote round" + round)) {
          throw new Error("own words not found: " + JSON.stringify(answer.results[0]));
        }
      }
      await search.close();`;
    const run = promisify(execFile);
    const start = (name: string) =>
      run(process.execPath, ["--input-type=module", "-e", script, place.workspace, place.indexPath, name]);
    await Promise.all(["a", "b", "c", "d"].map(start));
    const search = await place.open();
    expect((await ask(search, "tide file 17", { limit: 3 })).results).toHaveLength(3);
    expect((await search.size()).sources).toBe(44);
    expect((await search.size()).passages).toBe(40 * 20 + 4);
  });
});

describe("a search while another process writes", () => {
  /** Holds the index as one that writes does, and lets it go after a while. */
  const hold = (path: string) => {
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    return new Promise<void>((resolve) =>
      setTimeout(() => {
        other.close();
        resolve();
      }, 300),
    );
  };

  it.each(["before the embedder is asked", "while the embedder is asked"])(
    "waits with its vectors, which are paid for once: held %s (case 61)",
    async (when) => {
      const place = makePlace();
      place.write("memory/MEMORY.md", "- the tide\n- the other tide\n");
      const embedder = countingEmbedder();
      let held: Promise<void> | undefined;
      const facts = { version: async () => "", list: async () => [] };
      const search = await place.open({
        facts: { ...facts, version: async () => (when.startsWith("before") && (held ??= hold(place.indexPath)), "") },
        embedder: {
          ...embedder,
          embed: async (texts, options) => {
            if (options?.kind !== "query") held ??= hold(place.indexPath);
            return embedder.embed(texts, options);
          },
        },
      });
      const answer = await ask(search, "tide");
      expect(answer).toMatchObject({ mode: "hybrid", stale: false, notes: [] });
      expect(embedder.texts).toHaveLength(2);
      await held;
    },
  );
});

describe("a search that stays open", () => {
  it("notices changes by watching, at once", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the tide\n");
    const search = await place.open({ watch: { intervalMs: 60_000 } });
    expect(await textsFor(search, "tide")).toHaveLength(1);
    for (let round = 0; round < 20; round++) {
      place.write(`memory/new/${round}.md`, `- the tide of round${round}\n`);
      expect((await textsFor(search, `round${round}`))[0]).toBe(`- the tide of round${round}`);
      place.say("cli:main", [{ content: `said in turn${round}` }]);
      expect((await textsFor(search, `turn${round}`))[0]).toBe(`said in turn${round}`);
    }
  });

  it("sees what another process indexed", async () => {
    const place = makePlace();
    place.write("memory/MEMORY.md", "- the tide\n");
    const embedder = countingEmbedder();
    const one = await place.open({ embedder });
    const other = await place.open({ embedder });
    expect(await textsFor(one, "tide")).toHaveLength(1);
    place.write("memory/b.md", "- the other tide\n");
    expect(await textsFor(other, "tide")).toHaveLength(2);
    expect(await textsFor(one, "tide")).toHaveLength(2);
    expect(embedder.texts).toHaveLength(2);
  });

  it("gives the same answer whether vectors are read and let go, kept, or kept and partly read again", async () => {
    const place = makePlace();
    const lines = Array.from(
      { length: 600 },
      (_, line) => `- line ${line} tells of word${line % 97} and word${line % 89}`,
    );
    place.write("memory/MEMORY.md", lines.join("\n"));
    const embedder = countingEmbedder();
    const once = await place.open({ embedder });
    const first = (await ask(once, "word12 word40")).results;
    expect(first.length).toBeGreaterThan(3);
    expect((await ask(once, "word12 word40")).results).toEqual(first);
    const staying = await place.open({ embedder, watch: { intervalMs: 60_000 } });
    expect((await ask(staying, "word12 word40")).results).toEqual(first);
    place.write("memory/later.md", "- something else altogether\n");
    await once.sync();
    expect((await ask(once, "word12 word40")).results.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    expect((await ask(staying, "something else altogether")).results[0]?.path).toBe("memory/later.md");
    place.write("memory/later.md", "");
    expect((await ask(staying, "something else altogether")).results.map(({ path }) => path)).not.toContain(
      "memory/later.md",
    );
  });

  it("refuses to answer after it was closed", async () => {
    const place = makePlace();
    const search = await place.open();
    await search.close();
    await expect(ask(search, "tide")).rejects.toThrow(/closed/);
  });
});
