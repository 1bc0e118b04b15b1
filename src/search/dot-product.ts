import * as wasm from "../model/assemble.ts";
import { ADD, constant, get, increment, loadVector, set, SHIFT_LEFT, simd, unsigned } from "../model/assemble.ts";
import { BLOCK_ROWS, OFFSET, rowBytes, SCALE_BYTES } from "./packed-vector.ts";
import type { VectorBlock } from "./packed-vector.ts";

// f(rows, width, from): the dot product of each row of half bytes, beginning at `from` and
// `width` bytes long, with the int16 question at QUESTION goes as float32 to RESULTS. `width` is a multiple of 16.
const QUESTION = 0;
const RESULTS = 32_768;
const MATRIX = 65_536;
const LANES = 16;
const LARGEST_DIMENSIONS = (RESULTS - QUESTION) / 2;
const QUESTION_SCALE = 32_767;

const ROWS = 0;
const WIDTH = 1;
const FROM = 2;
const ROW = 3;
const STEP = 4;
const SUM = 5;
const VECTOR = 6;
const HALF = 7;

const lane = (index: number) => [...get(SUM), ...simd(27), index];

const EXTEND_LOW = 137; // i16x8.extend_low_i8x16_u
const EXTEND_HIGH = 138; // i16x8.extend_high_i8x16_u

/** Eight of the sixteen numbers in HALF, widened and multiplied with eight int16 lanes of the question, go to SUM. */
const addEight = (extend: number, questionOffset: number) => [
  ...get(SUM),
  ...get(HALF),
  ...simd(extend),
  ...get(STEP),
  ...constant(2),
  ...SHIFT_LEFT, // two numbers a byte, two bytes each in the question
  ...loadVector(QUESTION + questionOffset),
  ...simd(186), // i32x4.dot_i16x8_s
  ...simd(174), // i32x4.add
  ...set(SUM),
];

const compareSixteen = [
  ...get(FROM),
  ...get(STEP),
  ...ADD,
  ...loadVector(0),
  ...set(VECTOR),
  ...get(VECTOR),
  ...wasm.bytesOf(15),
  ...simd(78), // v128.and: the lower halves
  ...set(HALF),
  ...addEight(EXTEND_LOW, 0),
  ...addEight(EXTEND_HIGH, 16),
  ...get(VECTOR),
  ...constant(4),
  ...simd(109), // i8x16.shr_u: the upper halves
  ...set(HALF),
  ...addEight(EXTEND_LOW, 32),
  ...addEight(EXTEND_HIGH, 48),
  ...increment(STEP, constant(LANES)),
];

const compareRow = [
  ...wasm.bytesOf(0),
  ...set(SUM),
  ...constant(0),
  ...set(STEP),
  ...wasm.repeatWhileLess(compareSixteen, STEP, get(WIDTH)),
  ...get(ROW),
  ...constant(2),
  ...SHIFT_LEFT,
  ...lane(0),
  ...lane(1),
  ...ADD,
  ...lane(2),
  ...ADD,
  ...lane(3),
  ...ADD,
  0xb2, // f32.convert_i32_s
  0x38,
  2,
  ...unsigned(RESULTS), // f32.store
  ...increment(FROM, get(WIDTH)),
  ...increment(ROW, constant(1)),
];

const MODULE = wasm.assemble({
  parameters: [wasm.I32, wasm.I32, wasm.I32],
  locals: [
    [2, wasm.I32],
    [3, wasm.V128],
  ],
  code: wasm.repeatWhileLess(compareRow, ROW, get(ROWS)),
});

/** Unit vectors in memory, by blocks, that a question is compared with. */
export interface VectorMatrix {
  /** Puts a block at a place, in the place of what was there. */
  put(place: number, block: VectorBlock): void;
  /** What the blocks are compared with from now on. */
  ask(question: Float32Array): void;
  /** Writes the cosines of a block's vectors with the question to `into`, from `at` on. */
  compare(place: number, into: Float32Array, at: number): void;
}

/** Makes an empty matrix for vectors of so many dimensions. */
export function createVectorMatrix(dimensions: number): VectorMatrix {
  const width = rowBytes(dimensions);
  if (2 * width > LARGEST_DIMENSIONS) throw new RangeError(`Vectors of ${dimensions} dimensions are too long`);
  const blockBytes = BLOCK_ROWS * width;
  const memory = wasm.createMemory(MATRIX + blockBytes);
  const kernel = wasm.openKernel(MODULE, memory);
  const scales: Float32Array[] = [];
  let bytes = new Uint8Array(memory.buffer);
  let total = 0;
  return {
    put(place, { rows, packed }) {
      const start = MATRIX + place * blockBytes;
      if (start + blockBytes > bytes.length) {
        // By a quarter at a time: growing copies nothing, but makes new views.
        memory.grow(
          Math.max(Math.ceil(blockBytes / wasm.PAGE_BYTES) + 1, Math.ceil((bytes.length / wasm.PAGE_BYTES) * 0.25)),
        );
        bytes = new Uint8Array(memory.buffer);
      }
      // A copy: four bytes of a number must lie at a multiple of four.
      scales[place] = new Float32Array(packed.slice(0, rows * SCALE_BYTES).buffer);
      bytes.set(packed.subarray(rows * SCALE_BYTES, rows * (SCALE_BYTES + width)), start);
    },
    ask(question) {
      const asked = new Int16Array(memory.buffer, QUESTION, 2 * width);
      asked.fill(0);
      total = 0;
      for (let index = 0; index < dimensions; index++) {
        const value = Math.round((question[index] ?? 0) * QUESTION_SCALE);
        total += value;
        asked[placeOf(index)] = value;
      }
    },
    compare(place, into, at) {
      const factors = scales[place] ?? NO_FACTORS;
      if (factors.length === 0) return;
      kernel(factors.length, width, MATRIX + place * blockBytes);
      const sums = new Float32Array(memory.buffer, RESULTS, factors.length);
      for (let row = 0; row < sums.length; row++) {
        into[at + row] = (((sums[row] ?? 0) - OFFSET * total) * (factors[row] ?? 0)) / QUESTION_SCALE;
      }
    },
  };
}

const NO_FACTORS = new Float32Array();

/** Where the kernel looks for a number of the question: of 32, those of the lower halves come before the others. */
function placeOf(index: number): number {
  const within = index % (2 * LANES);
  return index - within + (within >> 1) + (within & 1) * LANES;
}
