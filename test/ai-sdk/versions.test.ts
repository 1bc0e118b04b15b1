import { describe, expect, it, onTestFinished } from "vitest";
import { withMemory } from "../../src/ai-sdk.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

type Version = "v2" | "v3" | "v4";

/** A model as the AI SDK 5, 6 and 7 define it, as far as a conversation needs it. */
function createModel<V extends Version>(specificationVersion: V) {
  const prompts: { role: string; content: unknown }[][] = [];
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return {
    specificationVersion,
    provider: "scripted",
    modelId: "tide",
    supportedUrls: {},
    prompts,
    async doGenerate({ prompt }: { prompt: { role: string; content: unknown }[] }) {
      prompts.push(prompt);
      const content = [
        { type: "text", text: "Aye." },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: '{"at":"sea"}' },
      ];
      return { content, finishReason: "tool-calls", usage, warnings: [] };
    },
    async doStream({ prompt }: { prompt: { role: string; content: unknown }[] }) {
      prompts.push(prompt);
      const parts = [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "In " },
        { type: "text-delta", id: "1", delta: "pieces." },
        { type: "text-end", id: "1" },
        { type: "finish", finishReason: "stop", usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  };
}

const picture = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0]);
const FILE = {
  v2: { type: "file", mediaType: "image/png", data: picture },
  v3: { type: "file", mediaType: "image/png", data: Buffer.from(picture).toString("base64") },
  v4: { type: "file", mediaType: "image/png", data: { type: "data", data: picture } },
};

describe("withMemory", () => {
  it.each(["v2", "v3", "v4"] as const)("gives back a model of the version that it was given: %s", async (version) => {
    const memory = await open({ workspace: temporaryFolder() });
    await memory.replaceMemory("# Memory\n\n- The user sails.\n");
    const model = createModel(version);
    const remembering = withMemory(model, { memory, session: "app:1" });
    expect(remembering).toMatchObject({ specificationVersion: version, provider: "scripted", modelId: "tide" });
    const first = { role: "user", content: [{ type: "text", text: "What do you see?" }, FILE[version]] };
    await remembering.doGenerate({ prompt: [{ role: "system", content: "Be brief." }, first] });
    const asked = { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "sea" } };
    const result = {
      type: "tool-result",
      toolCallId: "c1",
      toolName: "look",
      output: { type: "json", value: { seen: "a boat" } },
    };
    const { stream } = await remembering.doStream({
      prompt: [
        { role: "system", content: "Be brief." },
        first,
        { role: "assistant", content: [{ type: "text", text: "Aye." }, asked] },
        { role: "tool", content: [result] },
      ],
    });
    for await (const _ of stream);
    expect(model.prompts[0]?.slice(0, 2)).toEqual([
      { role: "system", content: "Be brief." },
      { role: "system", content: expect.stringContaining("The user sails.") },
    ]);
    const said = (await memory.session("app:1")).messages();
    expect(said.map(({ role, content }) => [role, content])).toEqual([
      [
        "user",
        [
          { type: "text", text: "What do you see?" },
          { type: "text", text: expect.stringMatching(/^\[image: /) },
        ],
      ],
      ["assistant", "Aye."],
      ["tool", '{"seen":"a boat"}'],
      ["assistant", "In pieces."],
    ]);
  });

  it("refuses a model of another version when it is wrapped, and says so", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const old = { ...createModel("v2"), specificationVersion: "v1" };
    expect(() => withMemory(old as never, { memory, session: "app:1" })).toThrow(
      /AI SDK 5, 6 and 7 .*not a model of version v1/,
    );
  });

  it("takes a name for the model that the program's default provider has", async () => {
    const memory = await open({ workspace: temporaryFolder() });
    const model = createModel("v4");
    const before = globalThis.AI_SDK_DEFAULT_PROVIDER;
    onTestFinished(() => void (globalThis.AI_SDK_DEFAULT_PROVIDER = before));
    globalThis.AI_SDK_DEFAULT_PROVIDER = { languageModel: (modelId: string) => ({ ...model, modelId }) } as never;
    const remembering = withMemory("sea/deep", { memory, session: "app:1" });
    expect(remembering.modelId).toBe("sea/deep");
    await remembering.doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: "Hello" }] }] });
    expect((await memory.session("app:1")).length).toBe(2);
  });
});
