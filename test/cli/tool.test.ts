// @module-tag stores
import { describe, expect, it } from "vitest";
import { writeKept } from "../support/kept.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli, runJson } from "./run-cli.ts";
import { runInOne } from "./run-in-one.ts";

describe("tidemark tool", () => {
  it("runs any tool as a model would, and prints what it would get", async () => {
    const workspace = temporaryFolder();
    await writeKept(workspace, "x.txt", "hello\n");
    const tool = (...args: string[]) => runInOne(["tool", ...args, "-w", workspace]);
    expect(await tool("remember", '{"fact": "The boat is called Gull"}')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Saved to MEMORY.md under "Facts": "The boat is called Gull"'),
    });
    expect((await tool("memory_search", '{"query": "name of the boat"}')).stdout).toMatch(
      /^1\. memory\/MEMORY\.md:5.*\n> .*Gull/,
    );
    expect((await tool("exec", '{"command": "cat x.txt"}', "-s", "cli:other")).stdout).toBe("hello\n");
    expect((await tool("undo")).stdout).toContain("Undid: remember.");
    expect(await tool("remember", "{}")).toMatchObject({ code: 1, stdout: expect.stringContaining("fact") });
    expect(await tool("remember", "not json")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("not valid JSON"),
    });
    expect(await tool("nonesuch")).toMatchObject({ code: 2, stderr: expect.stringContaining("memory_search") });
    const { tools } = await runJson<{ tools: { name: string }[] }>(["tool", "-w", workspace]);
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["read_file", "vector_search", "session_append"]),
    );
  });
});

describe("tidemark mask", () => {
  it("masks what comes in, and leaves the rest to the byte", async () => {
    const key = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    const { code, stdout } = await runCli(["mask"], { input: `token ${key}\r\nkeep this\n` });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "token [masked: github-token]\r\nkeep this\n" });
  });
});
