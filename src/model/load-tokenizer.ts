import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { MemoryError, describeError } from "../errors.ts";
import { createWordPiece, splitWords } from "./word-piece.ts";
import type { WordPiece, WordRules } from "./word-piece.ts";

const TokenizerFile = z.looseObject({
  normalizer: z
    .looseObject({
      lowercase: z.boolean().default(true),
      strip_accents: z.boolean().nullish(),
      handle_chinese_chars: z.boolean().default(true),
    })
    .nullish(),
  model: z.looseObject({ type: z.string().optional(), vocab: z.unknown() }),
});
type TokenizerFile = z.infer<typeof TokenizerFile>;
const Vocabulary = z.record(z.string(), z.int().nonnegative());

/** Reads the tokenizer beside an ONNX model: a text becomes token numbers, with the start and end marks of BERT. */
export async function loadTokenizer(folder: string): Promise<(text: string, maxTokens: number) => number[]> {
  const path = join(folder, "tokenizer.json");
  const file = await readTokenizerFile(path);
  const vocabulary = Vocabulary.safeParse(file.model.vocab);
  if (!vocabulary.success || (file.model.type ?? "WordPiece") !== "WordPiece") {
    throw new MemoryError(
      "EMBEDDER_FAILED",
      `${path} is not a WordPiece tokenizer; only models of the BERT family work`,
    );
  }
  const lowercase = file.normalizer?.lowercase ?? true;
  const rules: WordRules = {
    lowercase,
    stripAccents: file.normalizer?.strip_accents ?? lowercase,
    isolateCjk: file.normalizer?.handle_chinese_chars ?? true,
  };
  const pieces = new Map(Object.entries(vocabulary.data));
  const special = (name: string): number => {
    const id = pieces.get(name);
    if (id === undefined) {
      throw new MemoryError("EMBEDDER_FAILED", `${path} has no ${name} in its vocabulary`);
    }
    return id;
  };
  const [start, end, unknown] = [special("[CLS]"), special("[SEP]"), special("[UNK]")];
  const wordPiece = createWordPiece(pieces);
  return (text, maxTokens) => [start, ...encodeWords(text, rules, wordPiece, unknown, maxTokens - 2), end];
}

async function readTokenizerFile(path: string): Promise<TokenizerFile> {
  try {
    return TokenizerFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    throw new MemoryError("EMBEDDER_FAILED", `Cannot read ${path}: ${describeError(error)}`, { cause: error });
  }
}

function encodeWords(
  text: string,
  rules: WordRules,
  wordPiece: WordPiece,
  unknown: number,
  maxTokens: number,
): number[] {
  const ids: number[] = [];
  for (const word of splitWords(text, rules)) {
    ids.push(...(wordPiece.pieces(word) ?? [unknown]));
    if (ids.length >= maxTokens) {
      break;
    }
  }
  return ids.slice(0, maxTokens);
}
