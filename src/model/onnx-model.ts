import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, access } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { Tokenizer } from "@huggingface/tokenizers";
import * as z from "zod";
import { MemoryError, describeError } from "../errors.ts";

/** A sentence-transformers export, ready to run on the calling thread. */
export interface OnnxModel {
  /** The folder's name and the beginning of the model file's digest. */
  readonly id: string;
  readonly dimensions: number;
  /** One unit vector for each text, in order. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** The same for texts that are token numbers already, start and end marks included. */
  embedTokens(texts: readonly (readonly number[])[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** What is done with the vectors of a text's tokens. */
export type Pooling = "mean" | "cls";

interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}
interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  release?(): Promise<void>;
}
interface Runtime {
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => Tensor;
  readonly InferenceSession: { create(path: string, options: { intraOpNumThreads?: number }): Promise<Session> };
}

const RuntimeModule = z.custom<Runtime>((value) => {
  const parsed = z.looseObject({ InferenceSession: z.unknown(), Tensor: z.unknown() }).safeParse(value);
  return parsed.success && typeof parsed.data.Tensor === "function" && parsed.data.InferenceSession !== undefined;
});

const PoolingFile = z.looseObject({ pooling_mode_cls_token: z.boolean().default(false) });
const ConfigFile = z.looseObject({ max_position_embeddings: z.int().positive().default(512) });

// Long batches of short texts keep the processor busy; the product bounds the memory of one run.
const maxBatchTokens = 8192;
const maxBatchItems = 64;

/** Loads the model in `folder`; `resolveFrom` is where `onnxruntime-node` is looked for first. */
export async function openOnnxModel(
  folder: string,
  options: { resolveFrom?: string; threads?: number; pooling?: Pooling } = {},
): Promise<OnnxModel> {
  const [file, tokenizer, pooling, config] = await Promise.all([
    findModelFile(folder),
    loadTokenizer(folder),
    options.pooling ?? readPooling(folder),
    readOptionalJson(join(folder, "config.json"), ConfigFile),
  ]);
  const runtime = await importRuntime([...(options.resolveFrom === undefined ? [] : [options.resolveFrom]), folder]);
  const session = await runtime.InferenceSession.create(
    file,
    options.threads === undefined ? {} : { intraOpNumThreads: options.threads },
  );
  const maxTokens = Math.min(512, config?.max_position_embeddings ?? 512);
  const embedTokens = (texts: readonly (readonly number[])[]): Promise<Float32Array[]> =>
    embedAll(texts, (batch) => runBatch(runtime, session, batch, pooling));
  const embed = (texts: readonly string[]): Promise<Float32Array[]> =>
    embedTokens(texts.map((text) => tokenizer(text, maxTokens)));
  const [probe] = await embed(["probe"]);
  const id = `onnx/${basename(folder)}-${(await digestFile(file)).slice(0, 8)}-${pooling}`;
  return { id, dimensions: probe?.length ?? 0, embed, embedTokens, close: async () => session.release?.() };
}

async function findModelFile(folder: string): Promise<string> {
  const names = [
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "model.onnx",
  ];
  for (const name of names) {
    const path = join(folder, name);
    if (await exists(path)) {
      return path;
    }
  }
  throw new MemoryError("EMBEDDER_FAILED", `No ONNX model in ${folder}: expected one of ${names.join(", ")}`);
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Reads the tokenizer beside a model: a text becomes token numbers, with the marks of start and end that the model wants. */
export async function loadTokenizer(folder: string): Promise<(text: string, maxTokens: number) => number[]> {
  const path = join(folder, "tokenizer.json");
  const file = await readJson(path, z.looseObject({ model: z.looseObject({}) }));
  const settings = await readOptionalJson(join(folder, "tokenizer_config.json"), z.looseObject({}));
  try {
    const tokenizer = new Tokenizer(file, settings ?? {});
    // Most families close a text with a mark; some only open it.
    const closing = tokenizer.encode("").ids.length > 1 ? 1 : 0;
    return (text, maxTokens) => {
      const { ids } = tokenizer.encode(text);
      // Of a text that is too long the beginning counts; the mark of its end stays.
      return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - closing), ...ids.slice(ids.length - closing)];
    };
  } catch (error) {
    throw new MemoryError("EMBEDDER_FAILED", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

async function readPooling(folder: string): Promise<Pooling> {
  const file = await readOptionalJson(join(folder, "1_Pooling", "config.json"), PoolingFile);
  return file?.pooling_mode_cls_token === true ? "cls" : "mean";
}

async function readOptionalJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return (await exists(path)) ? readJson(path, schema) : undefined;
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    throw new MemoryError("EMBEDDER_FAILED", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

/** Finds the optional runtime: beside the given folders, else where this package is installed. */
async function importRuntime(folders: readonly string[]): Promise<Runtime> {
  const places = [...folders.map((folder) => pathToFileURL(join(folder, "package.json")).href), import.meta.url];
  for (const place of places) {
    const path = resolveRuntime(place);
    if (path !== undefined) {
      const module: unknown = await import(pathToFileURL(path).href);
      return RuntimeModule.parse(unwrapDefault(module));
    }
  }
  throw new MemoryError(
    "EMBEDDER_FAILED",
    "An onnx: embedder needs the package onnxruntime-node, which is not installed. Install it with: npm install onnxruntime-node",
  );
}

function resolveRuntime(place: string): string | undefined {
  try {
    return createRequire(place).resolve("onnxruntime-node");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") {
      return undefined;
    }
    throw error;
  }
}

function unwrapDefault(module: unknown): unknown {
  const parsed = z.looseObject({ InferenceSession: z.unknown().optional(), default: z.unknown() }).safeParse(module);
  return parsed.success && parsed.data.InferenceSession === undefined ? parsed.data.default : module;
}

/** Runs `run` over batches of texts of like length, so that little is padded, and puts the vectors back in order. */
export async function embedAll(
  texts: readonly (readonly number[])[],
  run: (batch: readonly (readonly number[])[]) => Promise<Float32Array[]>,
): Promise<Float32Array[]> {
  const order = texts.map((ids, index) => ({ ids, index })).toSorted((a, b) => a.ids.length - b.ids.length);
  const result: Float32Array[] = Array.from({ length: texts.length });
  let start = 0;
  while (start < order.length) {
    const end = batchEnd(order, start);
    const batch = order.slice(start, end);
    const vectors = await run(batch.map((item) => item.ids));
    for (const [position, { index }] of batch.entries()) {
      result[index] = vectors[position] ?? new Float32Array(0);
    }
    start = end;
  }
  return result;
}

function batchEnd(order: readonly { ids: readonly number[] }[], start: number): number {
  let end = start + 1;
  while (end < order.length && end - start < maxBatchItems) {
    const longest = order[end]?.ids.length ?? 0;
    if (longest * (end - start + 1) > maxBatchTokens) {
      break;
    }
    end++;
  }
  return end;
}

async function runBatch(
  runtime: Runtime,
  session: Session,
  batch: readonly (readonly number[])[],
  pooling: Pooling,
): Promise<Float32Array[]> {
  const width = Math.max(...batch.map((ids) => ids.length));
  const ids = new BigInt64Array(batch.length * width);
  const mask = new BigInt64Array(batch.length * width);
  for (const [row, tokens] of batch.entries()) {
    for (const [column, id] of tokens.entries()) {
      ids[row * width + column] = BigInt(id);
      mask[row * width + column] = 1n;
    }
  }
  const dims = [batch.length, width];
  const inputs: Record<string, Tensor> = {
    input_ids: new runtime.Tensor("int64", ids, dims),
    attention_mask: new runtime.Tensor("int64", mask, dims),
    token_type_ids: new runtime.Tensor("int64", new BigInt64Array(ids.length), dims),
  };
  const feeds = Object.fromEntries(Object.entries(inputs).filter(([name]) => session.inputNames.includes(name)));
  const output = (await session.run(feeds))[session.outputNames[0] ?? "last_hidden_state"];
  if (output === undefined || !(output.data instanceof Float32Array)) {
    throw new MemoryError("EMBEDDER_FAILED", "The ONNX model returns no float vectors");
  }
  const lengths = batch.map((tokens) => tokens.length);
  return output.dims.length === 2
    ? splitRows(output.data, batch.length).map(toUnitLength)
    : poolRows(output.data, lengths, width, pooling);
}

function splitRows(data: Float32Array, count: number): Float32Array[] {
  const size = data.length / count;
  return Array.from({ length: count }, (_, row) => data.slice(row * size, (row + 1) * size));
}

/** Makes one unit vector of each row of token vectors; padding beyond a row's length does not count. */
export function poolRows(
  states: Float32Array,
  lengths: readonly number[],
  width: number,
  pooling: Pooling,
): Float32Array[] {
  const dimensions = states.length / (lengths.length * width);
  return lengths.map((length, row) => {
    const vector = new Float32Array(dimensions);
    const tokens = pooling === "cls" ? 1 : length;
    for (let token = 0; token < tokens; token++) {
      const offset = (row * width + token) * dimensions;
      for (let index = 0; index < dimensions; index++) {
        vector[index] = (vector[index] ?? 0) + (states[offset + index] ?? 0);
      }
    }
    return toUnitLength(vector);
  });
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}
