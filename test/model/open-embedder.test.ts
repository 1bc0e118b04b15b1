import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEmbedder } from "../../src/model/open-embedder.ts";

const dataFolder = join(import.meta.dirname, "../../data");

describe("opening an embedder by its name", () => {
  it("opens the local one", async () => {
    const embedder = await openEmbedder({ model: "local", dataFolder });
    expect(embedder.id).toMatch(/^local\//);
    await embedder.close();
  });

  it.each([
    ["word2vec", /not local, onnx:<folder> or provider\/model/],
    ["openai/", /not local, onnx:<folder> or provider\/model/],
    ["nobody/words", /provider nobody is unknown.*providers\.nobody\.baseUrl/],
    ["openai/text-embedding-3-small", /No key for openai/],
    ["google/gemini-embedding-001", /No key for google/],
    ["onnx:/no/such/folder", /\/no\/such\/folder/],
  ])("refuses %s and says why", async (model, reason) => {
    await expect(openEmbedder({ model, dataFolder })).rejects.toMatchObject({
      code: "EMBEDDER_FAILED",
      message: expect.stringMatching(reason),
    });
  });
});
