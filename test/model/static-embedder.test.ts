// @module-tag long
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryError } from "../../src/errors.ts";
import type { Embedder } from "../../src/model/embedder.ts";
import { openStaticEmbedder } from "../../src/model/static-embedder.ts";

const dataFolder = join(import.meta.dirname, "../../data");
let embedder: Embedder;
let folder: string;

beforeAll(async () => {
  embedder = await openStaticEmbedder(dataFolder);
  folder = await mkdtemp(join(tmpdir(), "tidemark-embedder-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function embedOne(text: string): Promise<Float32Array> {
  const [vector = new Float32Array(0)] = await embedder.embed([text]);
  return vector;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

async function likeness(one: string, other: string): Promise<number> {
  return cosine(await embedOne(one), await embedOne(other));
}

describe("the local embedder", () => {
  it("names the table that it uses", () => {
    expect(embedder.id).toMatch(/^local\/[a-z]+-[0-9a-f]{8}$/);
    expect(embedder.dimensions).toBe(256);
  });

  it("gives the same vectors in another process's place", async () => {
    const again = await openStaticEmbedder(dataFolder);
    const texts = ["Where did I park the car?", "東京タワー", "🦊🦊", ""];
    expect(await again.embed(texts)).toEqual(await embedder.embed(texts));
  });

  it.each([
    ["The kitten slept on the sofa.", "A young cat was napping on the couch.", "The committee approved the budget."],
    ["What does she do for a living?", "She works as a nurse.", "It rained in the mountains."],
    ["Which instruments does he play?", "I practised the violin and the piano.", "We ate noodles with mushrooms."],
    ["他昨天买了一辆自行车。", "他骑着新单车去上班。", "会议推迟到下周三。"],
    ["她对花生过敏。", "She is allergic to peanuts.", "The train leaves at nine."],
  ])("finds that %s is nearer to %s than to %s", async (text, near, far) => {
    expect(await likeness(text, near)).toBeGreaterThan((await likeness(text, far)) + 0.1);
  });

  it("tells words apart that its table cannot spell", async () => {
    // Characters that are in no vocabulary: the same ones meet, others do not.
    expect(await likeness("𠮷𠮸", "𠮷𠮸")).toBeCloseTo(1);
    expect(await likeness("𠮷", "𠮸")).toBeLessThan(0.5);
    expect(await likeness("🦊", "🐢")).toBeLessThan(0.5);
    expect(await likeness("ᚠᚢᚦᚨᚱᚲ", "ᚠᚢᚦᚨᚱᚷ")).toBeGreaterThan(await likeness("ᚠᚢᚦᚨᚱᚲ", "ᛗᛚᛜᛞᛟ"));
  });

  it("gives a unit vector for any text", async () => {
    const texts = ["", " ", "\0", "😀", "a".repeat(10_000), "字".repeat(10_000), "the", "\ud800", "https://a.b/c?d=e"];
    for (const vector of await embedder.embed(texts)) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
        const vector = await embedOne(text);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      }),
    );
  });

  it("depends on nothing but the text", async () => {
    const [alone] = await embedder.embed(["a quiet evening"]);
    const many = await embedder.embed(["first", "a quiet evening", "last"]);
    expect(many[1]).toEqual(alone);
  });

  it("stops when it is told to", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(embedder.embed(["x"], { signal })).rejects.toThrow("enough");
  });

  it("lets others have their turn during a long job", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await embedder.embed(Array.from({ length: 5000 }, () => "one of very many short texts"));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

describe("a table file that is not right", () => {
  it.each([
    ["missing", undefined],
    ["empty", () => Buffer.alloc(0)],
    ["cut off", (file: Buffer) => file.subarray(0, 100_000)],
    ["of another version", (file: Buffer) => Buffer.concat([Buffer.from("TIDETBL9"), file.subarray(8)])],
  ] as const)("is refused with its place when it is %s", async (name, change) => {
    const place = await mkdtemp(join(folder, "case-"));
    const path = join(place, "word-table.bin");
    if (change !== undefined) {
      await copyFile(join(dataFolder, "word-table.bin"), path);
      await writeFile(path, change(await readFile(path)));
    }
    const error = await openStaticEmbedder(place).catch((error: unknown) => error);
    expect(error, name).toBeInstanceOf(MemoryError);
    expect(error).toMatchObject({ code: "EMBEDDER_FAILED", message: expect.stringContaining(path) });
  });
});
