// @module-tag stores
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { isKept, ofFolder, readKept, testStore, writeKept } from "../support/kept.ts";
import { callTool } from "../support/agent.ts";
import { open, textsLeft } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

let memory: Memory;
let workspace: string;
let outside: string;

beforeEach(async () => {
  outside = temporaryFolder();
  workspace = join(outside, "workspace");
  memory = await open({ workspace });
  writeFileSync(join(outside, "secret.txt"), "outside words\n");
  await writeKept(workspace, "config.json", '{"providers":{"local":{"apiKey":"hidden words"}}}');
  await writeKept(workspace, "docs/harbour/a.md", "the quay\nthe crane\nthe tide\n");
  await writeKept(workspace, "docs/harbour/b.md", "the gull\n");
  if (testStore === undefined) {
    symlinkSync(join(outside, "secret.txt"), join(workspace, "link.txt"));
    symlinkSync(outside, join(workspace, "linked"));
  }
  for (const key of ["cli:main", "telegram:9"]) {
    await (await memory.session(key)).append({ role: "user", content: `private words of ${key}` });
  }
});

async function expectRefused(name: string, input: unknown): Promise<void> {
  const result = await callTool(memory, name, input);
  expect(result, JSON.stringify(input)).toMatchObject({ isError: true });
  expect(result.text).not.toMatch(/outside words|hidden words|private words of telegram/);
  expect(result.text.length).toBeGreaterThan(20);
}

const LINKS = ["link.txt", "linked/secret.txt", "linked"];

const FORBIDDEN = [
  // Rows have no links.
  ...(testStore === undefined ? LINKS : []),
  "../secret.txt",
  "/etc/passwd",
  "memory/../../secret.txt",
  "sessions/telegram_9.jsonl",
  "docs/../sessions/telegram_9.jsonl",
  "SESSIONS/telegram_9.jsonl",
  "sessions/archive/x.jsonl",
  "sessions/files/telegram_9/x.txt",
  ".tidemark/queue.sqlite",
  "changes/memory.jsonl",
  "docs/../CHANGES/memory.jsonl",
  "config.json",
  "a\0b",
];

describe("file tools", () => {
  it.each(FORBIDDEN)("refuse %j, with a reason", async (path) => {
    await expectRefused("read_file", { path });
    await expectRefused("memory_get", { path });
    await expectRefused("write_file", { path, content: "x" });
    await expectRefused("edit_file", { path, old_text: "words", new_text: "x" });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("outside words\n");
    expect(await readKept(workspace, "config.json")).toContain("hidden words");
  });

  ofFolder("rows have no links")("do not write through a link to nowhere", async () => {
    symlinkSync(join(outside, "new.txt"), join(workspace, "dangling.txt"));
    await expectRefused("write_file", { path: "dangling.txt", content: "x" });
    await expectRefused("write_file", { path: "linked/new.txt", content: "x" });
    expect(existsSync(join(outside, "new.txt"))).toBe(false);
  });

  it("read, write, edit and list inside the workspace", async () => {
    expect(
      await callTool(memory, "write_file", { path: "notes/deep/x.md", content: "one\ntwo\nthree\n" }),
    ).toMatchObject({ isError: false });
    if (testStore === undefined) {
      expect(statSync(join(workspace, "notes/deep/x.md")).mode & 0o777).toBe(0o600);
      expect(statSync(join(workspace, "notes")).mode & 0o777).toBe(0o700);
    }
    expect(
      (await callTool(memory, "edit_file", { path: "notes/deep/x.md", old_text: "two", new_text: "$& 2" })).isError,
    ).toBe(false);
    expect((await callTool(memory, "read_file", { path: "notes/deep/x.md", offset: 2, limit: 1 })).text).toBe(
      "$& 2\n[lines 2 to 2 of 3; continue with offset 3]",
    );
    expect(
      (await callTool(memory, "edit_file", { path: "docs/harbour/a.md", old_text: "the", new_text: "x" })).text,
    ).toContain("3 times");
    await writeKept(workspace, "memory/2026-11-01.md", "- a day\n");
    expect((await callTool(memory, "list_dir", {})).text.split("\n")).toEqual([
      "docs/",
      "memory/",
      "notes/",
      "sessions/",
    ]);
    expect((await callTool(memory, "list_dir", { path: "sessions" })).text).toBe("cli_main.jsonl");
    expect((await callTool(memory, "read_file", { path: "sessions/cli_main.jsonl" })).text).toContain(
      "private words of cli:main",
    );
  });

  it("never change what was said, nor the diary", async () => {
    await memory.appendHistory("They talked.");
    await expectRefused("write_file", { path: "sessions/cli_main.jsonl", content: "x" });
    await expectRefused("edit_file", { path: "memory/HISTORY.md", old_text: "They", new_text: "We" });
    await expectRefused("write_file", { path: "memory/HISTORY.md", content: "" });
  });

  it("let dated notes grow, and mask keys in what lies in memory/", async () => {
    const path = "memory/2026-11-15.md";
    const key = `sk-ant-api03-${"abcDEF123456".repeat(6)}`;
    expect((await callTool(memory, "write_file", { path, content: `- one\n- the key is ${key}\n` })).isError).toBe(
      false,
    );
    const before = await readKept(workspace, path);
    expect(before).not.toContain(key);
    await expectRefused("write_file", { path, content: "- two\n" });
    await expectRefused("edit_file", { path, old_text: "- one", new_text: "- uno" });
    expect((await callTool(memory, "write_file", { path, content: `${before}- two\n` })).isError).toBe(false);
    expect(await readKept(workspace, path)).toBe(`${before}- two\n`);
  });

  it("write MEMORY.md through its log of changes", async () => {
    await callTool(memory, "write_file", { path: "memory/MEMORY.md", content: "# Memory\n\n- one\n" });
    await callTool(memory, "edit_file", { path: "./memory/MEMORY.md", old_text: "one", new_text: "two" });
    const changes = await memory.history.list({ scope: "", file: "MEMORY.md" });
    expect(changes.map(({ author }) => author)).toEqual(["agent", "agent"]);
    expect(await textsLeft(memory)).toEqual(["# Memory\n\n- one\n", "# Memory\n\n- two\n"]);
  });

  it("do not edit MEMORY.md over what someone wrote meanwhile", async () => {
    await memory.replaceMemory("# Memory\n\n- one\n");
    const edit = callTool(memory, "edit_file", { path: "memory/MEMORY.md", old_text: "one", new_text: "uno" });
    const other = callTool(memory, "remember", { fact: "two" }, { session: "cli:other" });
    const [edited] = await Promise.all([edit, other]);
    const text = await memory.readMemory();
    expect(text).toContain("- two");
    expect(text).toContain(edited.isError ? "- one" : "- uno");
  });

  it.each([
    { name: "write_file", input: { path: "memory/2026-11-14.md", content: "- one\n- three\n" } },
    { name: "edit_file", input: { path: "memory/2026-11-14.md", old_text: "- one\n", new_text: "- one\n- three\n" } },
    { name: "edit_file", input: { path: "memory/boats.md", old_text: "- one\n", new_text: "- uno\n" } },
  ])("do not write a note over what is added to it meanwhile ($name of $input.path)", async ({ name, input }) => {
    const { documents } = memory.store;
    await documents.write(input.path, "- one\n");
    const { call } = await memory.withFiles("cli:main", async () => {
      const begun = callTool(memory, name, input);
      // Whoever waits for the lock has not written by then, however long this takes.
      await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 200))]);
      await documents.write(input.path, "- one\n- two\n");
      return { call: begun };
    });
    const { isError } = await call;
    const text = await readKept(workspace, input.path);
    expect(text).toContain("- two\n");
    // Told so, or written beside it.
    if (isError) expect(text).toBe("- one\n- two\n");
    else expect(text).toMatch(/- three|- uno/);
  });

  it("keep to the memory of their own scope", async () => {
    const scoped = await open({ workspace: temporaryFolder(), config: { memory: { scope: "user" } } });
    await scoped.replaceMemory("# Memory\n\n- mine\n", "cli:main");
    await scoped.replaceMemory("# Memory\n\n- theirs\n", "telegram:9");
    expect((await callTool(scoped, "read_file", { path: "memory/scopes/cli_main/MEMORY.md" })).text).toContain("mine");
    const other = await callTool(scoped, "read_file", { path: "memory/scopes/telegram_9/MEMORY.md" });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining("someone else") });
    expect((await callTool(scoped, "exec", { command: "grep -r theirs ." })).text).not.toContain("- theirs");
  });
});

describe("exec", () => {
  const run = (command: string, options = {}) => callTool(memory, "exec", { command }, options);

  it("runs what is allowed, with pipes, quotes and file patterns", async () => {
    expect((await run("grep -h the docs/harbour/*.md | sort -r | head -2")).text).toBe("the tide\nthe quay");
    expect((await run("grep -c 'the ' docs/harbour/a.md")).text).toBe("3");
    expect((await run(`grep "a|b;c&d" docs/harbour/a.md`)).text).toBe("[exit status 1]");
    expect((await run("cut -d' ' -f2 docs/harbour/b.md")).text).toBe("gull");
    expect((await run("find docs -name '*.md' -type f")).text.split("\n")).toHaveLength(2);
    expect((await run("grep -r /api/v1 docs")).text).toBe("[exit status 1]");
    expect((await run("tail -n 1 docs/harbour/a.md")).text).toBe("the tide");
  });

  it.each([
    // Rows have no links.
    ...(testStore === undefined
      ? [
          "cat link.txt",
          "cat linked/secret.txt",
          "cat linked/*",
          "grep -R words linked",
          "grep -flink.txt docs/harbour/a.md",
        ]
      : []),
    "rm -rf docs",
    "bash -c 'rm -rf docs'",
    "/bin/cat docs/harbour/a.md",
    "./cat docs/harbour/a.md",
    "cat docs/harbour/a.md; rm -rf docs",
    "cat docs/harbour/a.md && rm -rf docs",
    "cat docs/harbour/a.md || rm -rf docs",
    "cat docs/harbour/a.md & rm -rf docs",
    "cat docs/harbour/a.md\nrm -rf docs",
    "cat docs/harbour/a.md\r\nrm -rf docs",
    "cat docs/harbour/a.md | rm -rf docs",
    "cat $(rm -rf docs)",
    'cat "$(rm -rf docs)"',
    "cat `rm -rf docs`",
    "cat ${HOME}/x",
    "cat docs/harbour/a.md > docs/x",
    "cat docs/harbour/a.md >> docs/x",
    "cat < ../secret.txt",
    "(cat docs/harbour/a.md)",
    "cat ~/x",
    "cat '",
    "",
    "| cat",
    "cat ../secret.txt",
    "cat /etc/passwd",
    "ls ../*",
    "ls /et*/pass*",
    "grep -f /etc/passwd docs/harbour/a.md",
    "grep -f../secret.txt docs/harbour/a.md",
    "grep --file=../secret.txt docs/harbour/a.md",
    "grep --reg=words ../secret.txt",
    "grep words /etc/passwd",
    "cat sessions/telegram_9.jsonl",
    "cat sessions/t*.jsonl",
    "cat sessions/archive/*",
    `cat ${"docs/harbour/a.md | cat ".repeat(9)}`,
    "cat config.json",
    "diff -r . docs",
    "find . -exec rm {} +",
    "find . -name x -delete",
    "find docs -fprint docs/list",
    "find / -name passwd",
    "sort -o docs/x docs/harbour/a.md",
    "sort -ro docs/x docs/harbour/a.md",
    "sort --outp=docs/x docs/harbour/a.md",
    "sort --compress-program=rm docs/harbour/a.md",
    "uniq docs/harbour/a.md docs/x",
    "wc --files0-from=docs/harbour/a.md",
    "date -f ../secret.txt",
    "file -f ../secret.txt",
    "tail -f /dev/zero",
  ])("gets nothing out of %j", async (command) => {
    expect((await run(command)).text).not.toMatch(/outside words|hidden words|private words of telegram|root:/);
    expect(await isKept(workspace, "docs/harbour/a.md")).toBe(true);
    expect(await isKept(workspace, "docs/x")).toBe(false);
  });

  it("says why something is refused, and that nothing can be written", async () => {
    for (const [command, reason] of [
      ["cat config.json", /"config.json" is refused: the configuration may hold keys/],
      ["cat sessions/telegram_9.jsonl", /refused: it belongs to another session; memory_search finds/],
      ["cat .tidemark/queue.sqlite", /refused: it is the program's own state/],
      ["cat changes/memory.jsonl", /refused: it is the program's own state/],
      ["echo x > docs/x", /"docs\/x" is refused: nothing can be written here/],
      ["gerp the docs/harbour/a.md", /gerp: command not found\n\[allowed: .*grep/],
      ["cat '", /unterminated|unexpected|syntax/i],
    ] as const)
      expect([command, (await run(command)).text]).toEqual([command, expect.stringMatching(reason)]);
  });

  it("has a shell's loops, variables, substitutions, here-documents and a /tmp of its own for each call", async () => {
    const count = 'n=0; for file in docs/harbour/*.md; do m=$(wc -l < "$file"); n=$((n + m)); done; echo $n';
    expect((await run(count)).text).toBe("4");
    expect((await run("grep -c the docs/harbour/a.md && echo yes || echo no")).text).toBe("3\nyes");
    expect((await run("cat nothing 2>/dev/null || true")).text).toBe("(nothing)");
    expect((await run("sort docs/harbour/a.md > /tmp/x; diff <(head -1 /tmp/x) - <<END\nthe crane\nEND")).text).toBe(
      "(nothing)",
    );
    expect((await run("cat /tmp/x")).text).toContain("No such file");
    expect((await run("cd docs/harbour && ls | wc -l")).text.trim()).toBe("2");
    if (testStore === undefined) expect((await run(`cat ${workspace}/docs/harbour/b.md`)).text).toBe("the gull");
  });

  it("marks what it read of documents where the command line does not name them", async () => {
    expect((await run("cat d*/harbour/b.md")).text).toMatch(/^\[.*a document\]\nthe gull$/);
    expect((await run("cd d''ocs; cat harbour/b.md")).text).toMatch(/a document\]\nthe gull$/);
    expect((await run("cat docs/harbour/b.md")).text).toBe("the gull");
  });

  it("passes over what is refused among the files of a pattern", async () => {
    await writeKept(workspace, "open.md", "open words\n");
    const { text } = await run("cat *.* docs/harbour/*.md sessions/*.jsonl");
    expect(text).toContain("open words");
    expect(text).toContain("the quay");
    expect(text).toContain("private words of cli:main");
    expect(text).not.toMatch(/telegram|hidden words|outside words/);
  });

  it("leaves out other sessions and keys when it searches everything", async () => {
    const { text } = await run("grep -rn words .");
    expect(text).not.toMatch(/telegram|hidden words|outside words/);
    expect((await run("grep -rn words")).text).not.toMatch(/telegram|hidden words|outside words/);
  });

  it("does as a shell's programs do, over what this session may see", async () => {
    await writeKept(workspace, "list.txt", "10 b\n9 a\n10 b\n1 c\n");
    expect((await run("sort -n list.txt | uniq -c | tr -s ' ' | cut -d' ' -f3")).text).toBe("1\n9\n10");
    expect((await run("sort -k2,2 -u list.txt")).text).toBe("9 a\n10 b\n1 c");
    expect((await run("sed -n '2,3p' docs/harbour/a.md")).text).toBe("the crane\nthe tide");
    expect((await run("sed -E 's/the (\\w+)/a \\1/' docs/harbour/b.md")).text).toBe("a gull");
    expect((await run("grep -n -A1 'q[[:alpha:]]*y' docs/harbour/a.md")).text).toBe("1:the quay\n2-the crane");
    expect((await run("grep -c '\\(crane\\|tide\\)$' docs/harbour/a.md")).text).toBe("2");
    expect((await run("grep -rlE '^the (gull|quay)' docs | sort")).text).toBe("docs/harbour/a.md\ndocs/harbour/b.md");
    expect((await run("grep -o -i 'TID.' docs/harbour/a.md")).text).toBe("tide");
    expect((await run("find . -name '*.md' -path '*harbour*' ! -name 'b*'")).text).toBe("./docs/harbour/a.md");
    expect((await run("find docs -type f -name 'a*' -o -type d -name harbour")).text).toBe(
      "docs/harbour\ndocs/harbour/a.md",
    );
    expect((await run("wc -l docs/harbour/a.md")).text).toBe("3 docs/harbour/a.md");
    expect((await run("cat docs/harbour/a.md | tail -n +2 | head -1 | tr a-z A-Z")).text).toBe("THE CRANE");
    expect((await run("diff docs/harbour/a.md docs/harbour/b.md")).text).toContain("+the gull");
    expect((await run("ls docs/harbour")).text).toBe("a.md\nb.md");
    expect((await run("ls docs nothing")).text).toContain("ls: nothing: No such file or directory");
    expect((await run("date -u +%Y")).text).toMatch(/^20\d\d$/);
    expect((await run("cat nothing.md")).text).toBe("cat: nothing.md: No such file or directory\n[exit status 1]");
  });

  it("shows this session's own transcript, and no name of another", async () => {
    expect((await run("grep -R words . sessions")).text).toContain("private words of cli:main");
    expect((await run("find . -name 'cli*'")).text).toBe("./sessions/cli_main.jsonl");
    for (const command of ["grep -R words .", "ls -R", "find .", "du -a", "cat link*", "echo sessions/*"]) {
      expect((await run(command)).text).not.toMatch(/telegram|hidden words|outside words/);
    }
  });

  it("ends an endless command, and one that writes too much", async () => {
    const quick = await open({
      workspace: temporaryFolder(),
      config: { tools: { exec: { timeoutSeconds: 1, allow: ["sleep", "grep", "true", "nice"] } } },
    });
    await writeKept(quick.workspace, "x.txt", `${"a".repeat(50)}!\n`);
    // Such a pattern takes no longer than another.
    expect((await callTool(quick, "exec", { command: "grep -E '(a+)+$' x.txt" })).text).toBe("[exit status 1]");
    await writeKept(quick.workspace, "big.txt", "1234567890\n".repeat(100_000));
    for (const command of ["sleep 60", "while true; do sleep 60; done", "nice sleep 60"]) {
      expect((await callTool(quick, "exec", { command })).text).toBe("[stopped after 1 s]");
    }
    // How long it takes to begin must not matter here.
    const patient = await open({
      workspace: quick.workspace,
      config: { tools: { exec: { timeoutSeconds: 60, allow: ["yes", "cat", "true", "echo"] } } },
    });
    for (const command of ["yes 1234567890", "cat big.txt", "while true; do echo 1234567890; done"]) {
      const { text } = await callTool(patient, "exec", { command });
      expect(text.length).toBeLessThan(210_000);
      expect(text).toContain("bytes of output");
    }
  });

  it("hands what is built in to a program that a person allowed, and back", async () => {
    const allowing = await open({
      workspace: temporaryFolder(),
      config: { tools: { exec: { allow: ["cat", "cksum", "cd"] } } },
    });
    await writeKept(allowing.workspace, "x.txt", "hello\n");
    expect((await callTool(allowing, "exec", { command: "cat x.txt | cksum | cat -n" })).text.trim()).toBe(
      "1\t3015617425 6",
    );
    await writeKept(allowing.workspace, "docs/x.txt", "hello\n");
    expect((await callTool(allowing, "exec", { command: "cd docs; cksum x.txt" })).text).toBe("3015617425 6 x.txt");
    for (const path of ["/etc/hostname", "../x", "docs/../config.json"])
      expect((await callTool(allowing, "exec", { command: `cksum ${path}` })).text).toContain("is refused");
  });

  it("hands on nothing of the program's environment", async () => {
    const bare = await open({ workspace: temporaryFolder(), config: { tools: { exec: { allow: ["env", "nice"] } } } });
    process.env["TIDEMARK_TEST_KEY"] = "sk-test";
    for (const command of ["env", "nice env"]) {
      const { text } = await callTool(bare, "exec", { command });
      expect(text).toContain("PATH=");
      expect(text).not.toContain("sk-test");
    }
    delete process.env["TIDEMARK_TEST_KEY"];
  });

  it("can be turned off", async () => {
    const off = await open({ workspace: temporaryFolder(), config: { tools: { exec: { enabled: false } } } });
    await expect(callTool(off, "exec", { command: "ls" })).rejects.toThrow("no tool exec");
  });
});

describe("remember and forget", () => {
  it("write at once, with a receipt, a source and a change on record", async () => {
    const session = await memory.session("cli:main");
    const said = await session.append({ role: "user", content: "Please remember that my boat is called Aurora" });
    const receipt = await callTool(memory, "remember", { fact: "The user's boat is called Aurora", heading: "Boats" });
    expect(receipt).toEqual({
      isError: false,
      text: 'Saved to MEMORY.md under "Boats": "The user\'s boat is called Aurora". The user can revert this with /undo.',
    });
    expect(await memory.readMemory()).toBe("# Memory\n\n## Boats\n\n- The user's boat is called Aurora\n");
    const [fact] = await memory.history.listFacts({ text: "The user's boat is called Aurora" });
    expect(fact).toMatchObject({ session: "cli:main", message: said?.id, proof: "match" });
    expect((await memory.history.list())[0]).toMatchObject({
      cause: "remember",
      by: "test/model",
      counts: { added: 1 },
    });
    expect(session.cursor).toBe(0);
    expect((await callTool(memory, "remember", { fact: "The user's boat is called Aurora" })).text).toContain(
      "Already known",
    );
  });

  it("replace a fact that is corrected, and say which could be meant", async () => {
    await memory.replaceMemory("# Memory\n\n## Home\n\n- User lives in Berlin\n- User's cat lives in Berlin\n");
    const unclear = await callTool(memory, "remember", { fact: "User lives in Lisbon", replaces: "lives Berlin" });
    expect(unclear).toMatchObject({ isError: true, text: expect.stringContaining("2 facts could be meant") });
    const saved = await callTool(memory, "remember", {
      fact: "User lives in Lisbon",
      replaces: "User lives in Berlin",
    });
    expect(saved.text).toContain('in place of "User lives in Berlin"');
    expect(await memory.readMemory()).toBe(
      "# Memory\n\n## Home\n\n- User lives in Lisbon\n- User's cat lives in Berlin\n",
    );
  });

  it("take out a fact, and nothing when it is not clear which", async () => {
    await memory.replaceMemory("# Memory\n\n- User likes herring\n- User likes tea\n");
    expect((await callTool(memory, "retire", { fact: "User likes" })).text).toContain("2 facts could be meant");
    expect((await callTool(memory, "retire", { fact: "herring" })).text).toContain(
      'Taken out of MEMORY.md: "User likes herring"',
    );
    expect(await memory.readMemory()).toBe("# Memory\n\n- User likes tea\n");
    expect((await callTool(memory, "retire", { fact: "herring" })).text).toContain("no fact says");
  });

  it("lose no fact when many sessions remember at once", async () => {
    const facts = Array.from({ length: 12 }, (_, index) => `Fact ${index} about pier ${index}`);
    await Promise.all(facts.map((fact, index) => callTool(memory, "remember", { fact }, { session: `cli:${index}` })));
    const text = await memory.readMemory();
    for (const fact of facts) expect(text).toContain(`- ${fact}\n`);
  });
});

describe("search tools", () => {
  it("find facts, talk and documents, and say when there is nothing", async () => {
    await memory.replaceMemory("# Memory\n\n- User's boat is called Aurora\n");
    const found = await callTool(memory, "memory_search", { query: "name of the boat" });
    expect(found.text).toMatch(/1\. memory\/MEMORY\.md:3[^\n]*\n> .*Aurora/);
    const docs = await callTool(memory, "vector_search", { query: "crane", project: "harbour" });
    expect(docs.text).toContain("docs/harbour/a.md");
    expect((await callTool(memory, "memory_get", { path: "docs/harbour/a.md", from: 2, lines: 1 })).text).toContain(
      "the crane",
    );
    expect((await callTool(memory, "memory_search", { query: "xyzzy", since: "2030-01-01" })).text).toContain(
      "Nothing on record",
    );
    expect((await callTool(memory, "memory_search", {})).isError).toBe(true);
    // What this session just said is in front of the model; what another said is not.
    const said = await callTool(memory, "memory_search", { query: "private words" });
    expect(said.text).not.toContain("words of cli:main");
    expect(said.text).toContain("said in telegram:9");
  });
});
