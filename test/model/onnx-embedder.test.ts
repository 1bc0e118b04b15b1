import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openOnnxEmbedder } from "../../src/model/onnx-embedder.ts";
import { embedAll, loadTokenizer, poolRows } from "../../src/model/onnx-model.ts";

let root: string;
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "tidemark-onnx-"));
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, "model-"));
});
afterAll(() => rm(root, { recursive: true }));

const vocabulary = { "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, good: 4, morning: 5, "##s": 6, Good: 7 };

async function writeModel(options: { normalizer?: unknown; pooling?: unknown } = {}): Promise<void> {
  const normalizer = options.normalizer ?? { type: "BertNormalizer", lowercase: true, strip_accents: null };
  const model = {
    type: "WordPiece",
    vocab: vocabulary,
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
  };
  const around = { type: "BertProcessing", cls: ["[CLS]", 2], sep: ["[SEP]", 3] };
  await writeTokenizer({ normalizer, model, pre_tokenizer: { type: "BertPreTokenizer" }, post_processor: around });
  await writeFile(join(folder, "config.json"), JSON.stringify({ max_position_embeddings: 6 }));
  await writeFile(join(folder, "model.onnx"), "weights");
  if (options.pooling !== undefined) {
    await mkdir(join(folder, "1_Pooling"));
    await writeFile(join(folder, "1_Pooling", "config.json"), JSON.stringify(options.pooling));
  }
}

async function writeTokenizer(settings: Record<string, unknown>): Promise<void> {
  const whole = { version: "1.0", added_tokens: [], decoder: null, ...settings };
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(whole));
}

/** A runtime whose model turns token n, at place p of its text, into the vector [n, p]; padding becomes large, to be noticed. */
async function writeRuntime(): Promise<void> {
  const place = join(folder, "node_modules", "onnxruntime-node");
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "package.json"), JSON.stringify({ name: "onnxruntime-node", main: "index.js" }));
  await writeFile(
    join(place, "index.js"),
    `exports.Tensor = class { constructor(type, data, dims) { this.type = type; this.data = data; this.dims = dims; } };
     exports.InferenceSession = { create: async () => ({
       inputNames: ["input_ids", "attention_mask"],
       outputNames: ["last_hidden_state"],
       run: async ({ input_ids, attention_mask, token_type_ids }) => {
         if (token_type_ids) throw new Error("unexpected input");
         const [rows, width] = input_ids.dims;
         const data = new Float32Array(rows * width * 2);
         input_ids.data.forEach((id, at) => {
           data[at * 2] = attention_mask.data[at] ? Number(id) : 1000;
           data[at * 2 + 1] = attention_mask.data[at] ? at % width : 1000;
         });
         return { last_hidden_state: { data, dims: [rows, width, 2] } };
       },
     }) };`,
  );
}

function unit(...values: number[]): number[] {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

describe("an ONNX embedder", () => {
  it("gives the mean of a text's tokens, padding left out, in the order of the texts", async () => {
    await writeModel();
    await writeRuntime();
    const embedder = await openOnnxEmbedder(folder);
    expect(embedder.id).toMatch(/^onnx\/model-.+-[0-9a-f]{8}-mean$/);
    expect(embedder.dimensions).toBe(2);
    const [long, short] = await embedder.embed(["Good mornings", "good"]);
    // [CLS] good morning ##s [SEP] and [CLS] good [SEP]
    const [meanLong, meanShort] = [unit(2 + 4 + 5 + 6 + 3, 0 + 1 + 2 + 3 + 4), unit(2 + 4 + 3, 0 + 1 + 2)];
    expect([...(long ?? [])]).toEqual(meanLong.map((value) => expect.closeTo(value, 5)));
    expect([...(short ?? [])]).toEqual(meanShort.map((value) => expect.closeTo(value, 5)));
    await embedder.close();
  });

  it("takes the first token where the model's folder says so", async () => {
    await writeModel({ pooling: { pooling_mode_cls_token: true } });
    await writeRuntime();
    const embedder = await openOnnxEmbedder(folder);
    const [vector] = await embedder.embed(["good morning"]);
    expect([...(vector ?? [])]).toEqual([1, 0]);
    await embedder.close();
  });

  it("answers many requests at once, each with its own", async () => {
    await writeModel();
    await writeRuntime();
    const embedder = await openOnnxEmbedder(folder);
    const texts = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? "good" : "morning"));
    const [even, odd] = await embedder.embed(["good", "morning"]);
    const answers = await Promise.all([embedder.embed(texts), embedder.embed(texts.toReversed())]);
    expect(answers[0].every((vector, index) => vector[0] === (index % 2 === 0 ? even : odd)?.[0])).toBe(true);
    expect(answers[1].every((vector, index) => vector[0] === (index % 2 === 0 ? odd : even)?.[0])).toBe(true);
    await embedder.close();
  });

  it("says how to install the runtime where it is missing", async () => {
    await writeModel();
    await expect(openOnnxEmbedder(folder)).rejects.toMatchObject({
      code: "EMBEDDER_FAILED",
      message: expect.stringContaining("npm install onnxruntime-node"),
    });
  });

  it("says which file is missing or of the wrong kind", async () => {
    await expect(openOnnxEmbedder(folder)).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
    await writeModel();
    await writeFile(join(folder, "tokenizer.json"), "{}");
    await expect(openOnnxEmbedder(folder)).rejects.toThrow(/Cannot read .*tokenizer\.json/);
  });

  it("fails clearly after it was closed", async () => {
    await writeModel();
    await writeRuntime();
    const embedder = await openOnnxEmbedder(folder);
    await embedder.close();
    await expect(embedder.embed(["good"])).rejects.toMatchObject({ code: "CLOSED" });
  });
});

describe("the pieces of an ONNX embedder", () => {
  it("marks start and end, names what is unknown, and cuts at the model's length", async () => {
    await writeModel();
    const encode = await loadTokenizer(folder);
    expect(encode("Good mornings, all", 512)).toEqual([2, 4, 5, 6, 1, 1, 3]);
    expect(encode("good ".repeat(20), 6)).toEqual([2, 4, 4, 4, 4, 3]);
    expect(encode("", 512)).toEqual([2, 3]);
  });

  it("keeps case where the tokenizer does", async () => {
    await writeModel({ normalizer: { type: "BertNormalizer", lowercase: false } });
    const encode = await loadTokenizer(folder);
    expect(encode("Good good", 512)).toEqual([2, 7, 4, 3]);
  });

  it("reads the tokenizers of other families, too", async () => {
    const vocab = [
      ["<s>", 0],
      ["</s>", 0],
      ["<unk>", 0],
      ["▁good", -1],
      ["▁", -3],
      ["o", -4],
    ];
    const around = { type: "RobertaProcessing", cls: ["<s>", 0], sep: ["</s>", 1], trim_offsets: true };
    await writeTokenizer({
      normalizer: null,
      model: { type: "Unigram", unk_id: 2, vocab },
      pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", add_prefix_space: true },
      post_processor: around,
    });
    const encode = await loadTokenizer(folder);
    expect(encode("good o", 512)).toEqual([0, 3, 4, 5, 1]);
    expect(encode("good good good good", 4)).toEqual([0, 3, 3, 1]);
  });

  it("pools by mean and by first token", () => {
    const states = Float32Array.from([3, 0, 1, 4, 9, 9, 0, 2, 9, 9, 9, 9]);
    expect(poolRows(states, [2, 1], 3, "mean").map((row) => [...row])).toEqual([
      unit(4, 4).map((value) => expect.closeTo(value, 5)),
      [0, 1],
    ]);
    expect(poolRows(states, [2, 1], 3, "cls").map((row) => [...row])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it("batches texts of like length and puts them back in order", async () => {
    const texts = Array.from({ length: 200 }, (_, index) => Array.from({ length: (index * 37) % 90 }, () => index));
    const sizes: number[] = [];
    const vectors = await embedAll(texts, async (batch) => {
      sizes.push(batch.length);
      const longest = Math.max(...batch.map((ids) => ids.length));
      expect(longest * batch.length).toBeLessThanOrEqual(8192);
      return batch.map((ids) => Float32Array.of(ids.length));
    });
    expect(vectors.map((vector) => vector[0])).toEqual(texts.map((ids) => ids.length));
    expect(Math.max(...sizes)).toBe(64);
  });
});
