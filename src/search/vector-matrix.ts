import * as wasm from "../model/assemble.ts";
import { constant, get, increment, loadVector, set, simd, unsigned } from "../model/assemble.ts";
import { BLOCK_ROWS, OFFSET, rowBytes, SCALE_BYTES, unpackLevels } from "./packed-vector.ts";
import type { VectorBlock } from "./packed-vector.ts";

/** Unit vectors in memory, by blocks, that a question is compared with. */
export interface VectorMatrix {
  /** Puts a block at a place, instead of what was there; `slots` says which row each of its vectors takes. */
  put(place: number, block: VectorBlock, slots?: Uint8Array): void;
  /** What the blocks are compared with from now on. */
  ask(question: Float32Array): void;
  /** The cosines of the rows at a place with the question, NaN where no vector is; good until the next question. */
  compare(place: number): Float32Array;
  /** The vector in a row of a place, as exactly as it is kept; undefined where none is. */
  read(place: number, slot: number): Float32Array | undefined;
}

// f(from, factor, scale, bias) compares the block whose rows of half bytes begin at `from`: the dot product of each with the
// int8 question at QUESTION, less `bias`, times `scale` and the row's own factor. Factors lie at `factor`, and the results
// go behind them.
const QUESTION = 0;
const QUESTION_BYTES = 32_768;
const MATRIX = QUESTION + QUESTION_BYTES;
const LANES = 16;
// The largest product of two numbers twice over must fit sixteen bits: 2 × 127 × 15 does.
const QUESTION_LEVELS = 127;
const FLOAT_BYTES = 4;
const RESULTS = BLOCK_ROWS * FLOAT_BYTES;

const FROM = 0;
const FACTOR = 1;
const SCALE = 2;
const BIAS = 3;
const ROW = 4;
const SUM = 5;
const PAIRS = 6;

const LOAD_FLOAT = [0x2a, 2, 0];
const storeFloat = (offset: number) => [0x38, 2, ...unsigned(offset)];
const lane = (index: number) => [...get(SUM), ...simd(27), index];
const addLane = (index: number) => [...lane(index), ...wasm.ADD];

/** Sixteen half bytes times as many numbers of the question, added to the sum on the stack. */
const addProducts = (question: number, halves: number[]) => [
  ...constant(0),
  ...loadVector(QUESTION + question),
  ...halves,
  ...get(SUM),
  ...simd(275), // i32x4.relaxed_dot_i8x16_i7x16_add_s; half bytes are far from where machines differ
  ...set(SUM),
];

const LOWER = [...get(PAIRS), ...wasm.bytesOf(15), ...simd(78)]; // v128.and
const UPPER = [...get(PAIRS), ...constant(4), ...simd(109)]; // i8x16.shr_u

const compareSixteenBytes = (step: number) => [
  ...get(FROM),
  ...loadVector(step),
  ...set(PAIRS),
  ...addProducts(2 * step, LOWER),
  ...addProducts(2 * step + LANES, UPPER),
];

/** One row after the other, the whole width of a row written out. */
const compareRow = (width: number) => [
  ...wasm.bytesOf(0),
  ...set(SUM),
  ...Array.from({ length: width / LANES }, (_, index) => compareSixteenBytes(index * LANES)).flat(),
  ...get(FACTOR),
  ...lane(0),
  ...addLane(1),
  ...addLane(2),
  ...addLane(3),
  0xb2, // f32.convert_i32_s
  ...get(BIAS),
  0x93, // f32.sub
  ...get(SCALE),
  0x94, // f32.mul
  ...get(FACTOR),
  ...LOAD_FLOAT,
  0x94,
  ...storeFloat(RESULTS),
  ...increment(FROM, constant(width)),
  ...increment(FACTOR, constant(FLOAT_BYTES)),
  ...increment(ROW, constant(1)),
];

const modules = new Map<number, Uint8Array>();

function moduleFor(width: number): Uint8Array {
  const known =
    modules.get(width) ??
    wasm.assemble({
      parameters: [wasm.I32, wasm.I32, wasm.F32, wasm.F32],
      locals: [
        [1, wasm.I32],
        [2, wasm.V128],
      ],
      code: wasm.repeatWhileLess(compareRow(width), ROW, constant(BLOCK_ROWS)),
    });
  modules.set(width, known);
  return known;
}

/** Makes an empty matrix for vectors of so many dimensions. */
export function createVectorMatrix(dimensions: number): VectorMatrix {
  const width = rowBytes(dimensions);
  if (2 * width > QUESTION_BYTES) throw new RangeError(`Vectors of ${dimensions} dimensions are too long`);
  const blockBytes = BLOCK_ROWS * (width + 2 * FLOAT_BYTES);
  const memory = wasm.createMemory(MATRIX + blockBytes);
  const kernel = wasm.openKernel(moduleFor(width), memory);
  const startOf = (place: number) => MATRIX + place * blockBytes;
  const factorsOf = (place: number) => startOf(place) + BLOCK_ROWS * width;
  let bytes = new Uint8Array(memory.buffer);
  let results: Float32Array[] = [];
  let scale = 1;
  let bias = 0;

  const makeRoom = (place: number) => {
    if (startOf(place + 1) <= bytes.length) return;
    // By a quarter at a time: growing copies nothing, but makes new views.
    memory.grow(Math.ceil(Math.max(startOf(place + 1) - bytes.length, bytes.length / 4) / wasm.PAGE_BYTES));
    bytes = new Uint8Array(memory.buffer);
    results = [];
  };
  return {
    put(place, { rows, packed }, slots) {
      makeRoom(place);
      new Float32Array(memory.buffer, factorsOf(place), BLOCK_ROWS).fill(NaN);
      const copy = (from: number, to: number, at: number) => bytes.set(packed.subarray(from, to), at);
      // Rows that follow each other in both are copied at once; nearly always these are all.
      for (let row = 0; row < rows;) {
        const slot = slots?.[row] ?? row;
        let end = row + 1;
        while (end < rows && (slots?.[end] ?? end) - end === slot - row) end++;
        // Stored numbers and those of WebAssembly have the lowest byte first on every machine.
        copy(row * SCALE_BYTES, end * SCALE_BYTES, factorsOf(place) + slot * FLOAT_BYTES);
        copy(rows * SCALE_BYTES + row * width, rows * SCALE_BYTES + end * width, startOf(place) + slot * width);
        row = end;
      }
    },
    ask(question) {
      const asked = new Int8Array(memory.buffer, QUESTION, 2 * width).fill(0);
      let largest = 0;
      for (let index = 0; index < dimensions; index++) largest = Math.max(largest, Math.abs(question[index] ?? 0));
      scale = largest / QUESTION_LEVELS || 1;
      bias = 0;
      for (let index = 0; index < dimensions; index++) {
        const value = Math.round((question[index] ?? 0) / scale);
        bias += OFFSET * value;
        asked[placeOf(index)] = value;
      }
    },
    compare(place) {
      kernel(startOf(place), factorsOf(place), scale, bias);
      return (results[place] ??= new Float32Array(memory.buffer, factorsOf(place) + RESULTS, BLOCK_ROWS));
    },
    read(place, slot) {
      const factor = new Float32Array(memory.buffer, factorsOf(place), BLOCK_ROWS)[slot] ?? NaN;
      if (Number.isNaN(factor)) return undefined;
      return unpackLevels(bytes, startOf(place) + slot * width, factor, dimensions);
    },
  };
}

/** Where the kernel looks for a number of the question: of 32, those of the lower halves come before the others. */
function placeOf(index: number): number {
  const within = index % (2 * LANES);
  return index - within + (within >> 1) + (within & 1) * LANES;
}
