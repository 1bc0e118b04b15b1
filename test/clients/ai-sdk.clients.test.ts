import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { installClient } from "./real-client.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A program over the installed copy: it says something whole and in pieces, and prints what was kept. */
const PROGRAM = `
import { generateText, simulateReadableStream, streamText } from "ai";
import * as mocks from "ai/test";
import { openMemory } from "tidemark";
import { withMemory } from "tidemark/ai-sdk";
const [version, workspace] = process.argv.slice(2);
const memory = await openMemory({ workspace });
await memory.replaceMemory("# Memory\\n\\n- Lives in Lisbon\\n");
const isOld = version === "5";
const usage = isOld ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 } : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = isOld ? "stop" : { unified: "stop", raw: "stop" };
const prompts = [];
const Model = mocks["MockLanguageModelV" + (Number(version) - 3)];
const model = new Model({
  doGenerate: async ({ prompt }) => (prompts.push(prompt), { content: [{ type: "text", text: "Aye." }], finishReason, usage, warnings: [] }),
  doStream: async ({ prompt }) => (prompts.push(prompt), { stream: simulateReadableStream({ chunks: [
    { type: "stream-start", warnings: [] }, { type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "In pieces." },
    { type: "text-end", id: "1" }, { type: "finish", finishReason, usage }] }) }),
});
const remembering = withMemory(model, { memory, session: "app:1" });
const whole = await generateText({ model: remembering, prompt: "I play the cello." });
let pieces = "";
for await (const piece of streamText({ model: remembering, prompt: "And the flute." }).textStream) pieces += piece;
await remembering.settle();
const said = (await memory.session("app:1")).messages().map(({ role, content }) => role + ": " + content);
console.log(JSON.stringify({ given: model.specificationVersion, made: remembering.specificationVersion, texts: [whole.text, pieces],
  isTold: prompts.every((prompt) => JSON.stringify(prompt).includes("Lives in Lisbon")), said }));
await memory.close();
process.exit(0);
`;

const NAMED = `
import { generateText } from "ai";
import { openMemory } from "tidemark";
import { withMemory } from "tidemark/ai-sdk";
export async function ask(): Promise<string> {
  const memory = await openMemory({ workspace: "/nowhere" });
  const model = withMemory("openai/gpt-5", { memory, session: "a" });
  return (await generateText({ model, prompt: "x" })).text;
}
`;

describe.each(["5", "6", "7"])("ai %s from npm", (version) => {
  const installed = installClient(`ai${version}`, `ai@${version}`, "typescript@5", "zod", "@types/node@22");
  if ("reason" in installed) {
    it.skip(`is left out: ${installed.reason}`, () => undefined);
    return;
  }
  const folder = join(installed.bin, "../..");

  it("takes a model with a memory, and its types compile where libraries are checked", async () => {
    const packed = temporaryFolder();
    await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", packed], { cwd: ROOT });
    await run("npm", ["install", "--no-audit", "--no-fund", join(packed, "tidemark-0.1.0.tgz")], { cwd: folder });
    const check = join(folder, "check");
    mkdirSync(check, { recursive: true });
    copyFileSync(join(ROOT, "test/ai-sdk/types/tsconfig.json"), join(check, "tsconfig.json"));
    copyFileSync(join(ROOT, "test/ai-sdk/types/uses.ts"), join(check, "uses.ts"));
    writeFileSync(join(check, "named.ts"), NAMED);
    const compiled = run(join(installed.bin, "tsc"), ["-p", check, "--target", "es2022", "--lib", "es2023,dom"]);
    await expect(compiled).resolves.toMatchObject({ stdout: "" });
    writeFileSync(join(check, "run.mjs"), PROGRAM);
    const { stdout } = await run(process.execPath, [join(check, "run.mjs"), version, temporaryFolder()]);
    const specification = `v${Number(version) - 3}`;
    expect(JSON.parse(stdout)).toEqual({
      given: specification,
      made: specification,
      texts: ["Aye.", "In pieces."],
      isTold: true,
      said: ["user: I play the cello.", "assistant: Aye.", "user: And the flute.", "assistant: In pieces."],
    });
  });
});
