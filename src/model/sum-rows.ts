import * as wasm from "./assemble.ts";
import { constant, get, increment, loadVector, set, SHIFT_LEFT, simd, storeVector } from "./assemble.ts";

/** Sums rows of half bytes, each times a factor of its own. */
export interface RowSum {
  /** Where rows lie; what is put there can be added. */
  readonly bytes: Uint8Array;
  /** Adds the row that begins at a byte of `bytes`. */
  add(start: number, factor: number): void;
  /** Adds the sum so far to `sum`, and begins anew. */
  moveTo(sum: Float32Array): void;
}

/** What is added to each number so that half a byte, which knows no sign, can hold it. */
export const nibbleOffset = 8;

// f(row, factor, width): each half byte of a row, less the offset and times the factor, is added to the sum at SUM. Of each
// sixteen bytes the lower halves come first in the sum, and then the upper ones.
const SUM = 0;
const LANES = 16;
const LONGEST_ROW = 4_096;
const ROWS = SUM + 8 * LONGEST_ROW;

const ROW = 0;
const FACTOR = 1;
const WIDTH = 2;
const STEP = 3;
const PAIRS = 4;
const HALF = 5;
const FACTORS = 6;

const EXTEND_TO_16 = [135, 136]; // i16x8.extend_low_i8x16_s, extend_high_i8x16_s
const EXTEND_TO_32 = [167, 168]; // i32x4.extend_low_i16x8_s, extend_high_i16x8_s

/** Each byte of a row stands for eight bytes of the sum. */
const PLACE = [...get(STEP), ...constant(3), ...SHIFT_LEFT];

/** Four of the sixteen numbers in HALF, as floats times the factor, go to their place in the sum. */
const addFour = (wide: number, wider: number, offset: number) => [
  ...PLACE,
  ...get(HALF),
  ...simd(wide),
  ...simd(wider),
  ...simd(250), // f32x4.convert_i32x4_s
  ...get(FACTORS),
  ...simd(230), // f32x4.mul
  ...PLACE,
  ...loadVector(SUM + offset),
  ...simd(228), // f32x4.add
  ...storeVector(SUM + offset),
];

const addSixteen = (offset: number) =>
  EXTEND_TO_16.flatMap((wide, half) =>
    EXTEND_TO_32.flatMap((wider, quarter) => addFour(wide, wider, offset + 32 * half + 16 * quarter)),
  );

const body = [
  ...get(ROW),
  ...get(STEP),
  ...wasm.ADD,
  ...loadVector(0),
  ...set(PAIRS),
  ...get(PAIRS),
  ...wasm.bytesOf(15),
  ...simd(78), // v128.and: the lower halves
  ...wasm.bytesOf(nibbleOffset),
  ...simd(113), // i8x16.sub
  ...set(HALF),
  ...addSixteen(0),
  ...get(PAIRS),
  ...constant(4),
  ...simd(109), // i8x16.shr_u: the upper halves
  ...wasm.bytesOf(nibbleOffset),
  ...simd(113),
  ...set(HALF),
  ...addSixteen(64),
  ...increment(STEP, constant(LANES)),
];

const MODULE = wasm.assemble({
  parameters: [wasm.I32, wasm.F32, wasm.I32],
  locals: [
    [1, wasm.I32],
    [3, wasm.V128],
  ],
  code: [
    ...get(FACTOR),
    ...simd(19), // f32x4.splat
    ...set(FACTORS),
    ...wasm.repeatWhileLess(body, STEP, get(WIDTH)),
  ],
});

/** Makes room for so many bytes of rows with `dimensions` numbers each, two in a byte, the lower half first. */
export function createRowSum(dimensions: number, roomBytes: number): RowSum {
  const width = Math.ceil(dimensions / 2 / LANES) * LANES;
  if (width > LONGEST_ROW) throw new RangeError(`Vectors of ${dimensions} dimensions are too long`);
  // The last row is read to a full width.
  const memory = wasm.createMemory(ROWS + roomBytes + width);
  const kernel = wasm.openKernel(MODULE, memory);
  const total = new Float32Array(memory.buffer, SUM, 2 * width);
  const places = Uint16Array.from({ length: dimensions }, (_, index) => placeOf(index));
  return {
    bytes: new Uint8Array(memory.buffer, ROWS, roomBytes),
    add: (start, factor) => kernel(ROWS + start, factor, width),
    moveTo(sum) {
      for (let index = 0; index < dimensions; index++) {
        sum[index] = (sum[index] ?? 0) + (total[places[index] ?? 0] ?? 0);
      }
      total.fill(0);
    },
  };
}

function placeOf(index: number): number {
  const within = index % (2 * LANES);
  return index - within + (within >> 1) + (within & 1) * LANES;
}
