// @module-tag stores
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

type Asked = { prompt: { role: string; content: unknown }[]; abortSignal?: AbortSignal | undefined };
type Part = { type: string; [field: string]: unknown };

/** Asks a model that says these parts, whole or piece by piece, and tells what is stored of its answer. */
async function storedOf(
  version: Version,
  parts: Part[],
  how: { isStreamed: boolean; finish?: string; fails?: Error; signal?: AbortSignal },
) {
  const memory = await open({ workspace: temporaryFolder() });
  const { finish = "stop", fails, isStreamed } = how;
  const finishReason = version === "v2" ? finish : { unified: finish, raw: finish };
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const streamed = parts.flatMap((part): Part[] =>
    part.type !== "text"
      ? [part]
      : [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: part["text"] },
          { ...part, type: "text-end", id: "1" },
        ],
  );
  async function* pieces() {
    yield* streamed;
    if (fails) throw fails;
    yield { type: "finish", finishReason, usage };
  }
  const plain = {
    specificationVersion: version,
    provider: "scripted",
    modelId: "tide",
    supportedUrls: {},
    doGenerate: async (asked: Asked) => ({ content: parts, finishReason, usage, warnings: [], asked }),
    doStream: async (asked: Asked) => ({ stream: ReadableStream.from(pieces()), asked }),
  };
  const model = withMemory(plain, { memory, session: "app:1" });
  const prompt = [{ role: "user", content: [{ type: "text", text: "Where is my bank?" }] }];
  if (isStreamed) {
    const { stream } = await model.doStream({ prompt, abortSignal: how.signal });
    const read = async () => {
      for await (const _ of stream);
    };
    await (fails ? expect(read()).rejects.toThrow(fails.message) : read());
  } else await model.doGenerate({ prompt });
  return (await memory.session("app:1")).messages().slice(1);
}

const SAID = { type: "text", text: "It is in Zurich." };
const SOURCE = { type: "source", sourceType: "url", id: "1", url: "https://evil.example" };
const EVERY_WAY = (["v2", "v3", "v4"] as const).flatMap((version) =>
  [false, true].map((isStreamed) => ({ version, isStreamed })),
);

describe.each(EVERY_WAY)("an answer of a model of $version, streamed: $isStreamed", ({ version, isStreamed }) => {
  it.each<[string, Part[]]>([
    ["a source", [SAID, SOURCE]],
    [
      "a call that it ran",
      [{ type: "tool-call", toolCallId: "w", toolName: "web", input: "{}", providerExecuted: true }, SAID],
    ],
    ["a result", [{ type: "tool-result", toolCallId: "w", toolName: "web", result: [{ at: "x" }] }, SAID]],
    ["citations", [{ ...SAID, citations: [{ source: SOURCE }] }]],
    [
      "what it was grounded on",
      [{ ...SAID, providerMetadata: { google: { groundingMetadata: { webSearchQueries: ["x"] } } } }],
    ],
  ])("comes from outside where the provider tells of %s", async (_, parts) => {
    expect(await storedOf(version, parts, { isStreamed })).toMatchObject([
      { role: "assistant", content: SAID.text, origin: "untrusted" },
    ]);
  });

  it("is the model's own where a tool of ours is called, or nothing was found", async () => {
    const call = { type: "tool-call", toolCallId: "c", toolName: "look", input: "{}" };
    const metadata = { google: { groundingMetadata: null, urlContextMetadata: null }, openai: { annotations: [] } };
    const [stored] = await storedOf(version, [{ ...SAID, citations: [], providerMetadata: metadata }, call], {
      isStreamed,
    });
    expect(stored).toMatchObject({ role: "assistant", content: SAID.text });
    expect(stored?.origin).toBeUndefined();
  });

  it.each(["error", "interrupted"])("is not stored where it ended with %s", async (finish) => {
    expect(await storedOf(version, [SAID], { isStreamed, finish })).toEqual([]);
  });
});

describe("a stream", () => {
  it("that holds an error is no answer, whatever comes after it", async () => {
    const parts = [SAID, { type: "error", error: new Error("overloaded") }];
    expect(await storedOf("v4", parts, { isStreamed: true })).toEqual([]);
  });

  it("that fails was stopped by nobody", async () => {
    const fails = new Error("socket hang up");
    expect(await storedOf("v4", [SAID], { isStreamed: true, fails })).toEqual([]);
  });

  it("that fails because the caller gave up was stopped", async () => {
    const fails = new DOMException("gave up", "AbortError");
    expect(await storedOf("v4", [SAID], { isStreamed: true, fails, signal: AbortSignal.abort() })).toMatchObject([
      { role: "assistant", content: SAID.text, stopped: true },
    ]);
  });
});
