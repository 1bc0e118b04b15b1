import { BLOCK_ROWS, OFFSET, rowBytes, SCALE_BYTES } from "./packed-vector.ts";
import type { VectorBlock } from "./packed-vector.ts";

// WebAssembly, assembled here by hand: fixed-width SIMD makes a scan of 100,000 vectors take milliseconds, and these
// few bytes need no build step. f(rows, width, from): the dot product of each row of half bytes, beginning at `from` and
// `width` bytes long, with the int16 question at QUESTION goes as float32 to RESULTS. `width` is a multiple of 16.
const QUESTION = 0;
const RESULTS = 32_768;
const MATRIX = 65_536;
const PAGE = 65_536;
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

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const constant = (value: number) => [0x41, ...signed(value)];
const ADD = [0x6a];
const simd = (code: number) => [0xfd, ...unsigned(code)];
const loadVector = (offset: number) => [...simd(0), 0, ...unsigned(offset)];
const increment = (local: number, by: number[]) => [...get(local), ...by, ...ADD, ...set(local)];
const lane = (index: number) => [...get(SUM), ...simd(27), index];

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const byte = rest & 0x7f;
    const isLast = (rest >> 7 === 0 && (byte & 0x40) === 0) || (rest >> 7 === -1 && (byte & 0x40) !== 0);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}

const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content];

const EXTEND_LOW = 137; // i16x8.extend_low_i8x16_u
const EXTEND_HIGH = 138; // i16x8.extend_high_i8x16_u

/** Eight of the sixteen numbers in HALF, widened and multiplied with eight int16 lanes of the question, go to SUM. */
const addEight = (extend: number, questionOffset: number) => [
  ...get(SUM),
  ...get(HALF),
  ...simd(extend),
  ...get(STEP),
  ...constant(2),
  0x74, // i32.shl: two numbers a byte, two bytes each in the question
  ...loadVector(QUESTION + questionOffset),
  ...simd(186), // i32x4.dot_i16x8_s
  ...simd(174), // i32x4.add
  ...set(SUM),
];

const innerLoop = [
  0x03,
  0x40,
  ...get(FROM),
  ...get(STEP),
  ...ADD,
  ...loadVector(0),
  ...set(VECTOR),
  ...get(VECTOR),
  ...simd(12),
  ...Array.from({ length: 16 }, () => 15),
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
  ...get(STEP),
  ...get(WIDTH),
  0x48, // i32.lt_s
  0x0d,
  0,
  0x0b,
];

const outerLoop = [
  0x03,
  0x40,
  ...simd(12),
  ...Array.from({ length: 16 }, () => 0),
  ...set(SUM),
  ...constant(0),
  ...set(STEP),
  ...innerLoop,
  ...get(ROW),
  ...constant(2),
  0x74,
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
  ...get(ROW),
  ...get(ROWS),
  0x48,
  0x0d,
  0,
  0x0b,
];

// Two more int32 locals (ROW, STEP) and three vectors (SUM, VECTOR, HALF) follow the three parameters.
const code = [2, 2, 0x7f, 3, 0x7b, ...outerLoop, 0x0b];
const MODULE = new Uint8Array([
  0x00,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  ...section(1, [1, 0x60, 3, 0x7f, 0x7f, 0x7f, 0]),
  ...section(2, [1, 1, 0x61, 1, 0x6d, 2, 0x00, ...unsigned(1)]),
  ...section(3, [1, 0]),
  ...section(7, [1, 1, 0x66, 0, 0]),
  ...section(10, [1, ...unsigned(code.length), ...code]),
]);

/** Unit vectors in memory, by blocks, that a question is compared with. */
export interface VectorMatrix {
  /** Puts a block at a place, in the place of what was there. */
  put(place: number, block: VectorBlock): void;
  /** What the blocks are compared with from now on. */
  ask(question: Float32Array): void;
  /** Writes the cosines of a block's vectors with the question to `into`, from `at` on. */
  compare(place: number, into: Float32Array, at: number): void;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

// The types of Node leave this global out.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { a: { m: WasmMemory } }) => { exports: Record<string, unknown> };
};

type Kernel = (rows: number, width: number, from: number) => void;

let compiled: object | undefined;

/** Makes an empty matrix for vectors of so many dimensions. */
export function createVectorMatrix(dimensions: number): VectorMatrix {
  const width = rowBytes(dimensions);
  if (2 * width > LARGEST_DIMENSIONS) throw new RangeError(`Vectors of ${dimensions} dimensions are too long`);
  const blockBytes = BLOCK_ROWS * width;
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 65_536 });
  const kernel = instantiate(memory);
  const scales: Float32Array[] = [];
  let bytes = new Uint8Array(memory.buffer);
  let total = 0;
  return {
    put(place, { rows, packed }) {
      const start = MATRIX + place * blockBytes;
      if (start + blockBytes > bytes.length) {
        // By a quarter at a time: growing copies nothing, but makes new views.
        memory.grow(Math.max(Math.ceil(blockBytes / PAGE) + 1, Math.ceil((bytes.length / PAGE) * 0.25)));
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

function instantiate(memory: WasmMemory): Kernel {
  compiled ??= new WebAssembly.Module(MODULE);
  const { f } = new WebAssembly.Instance(compiled, { a: { m: memory } }).exports;
  if (typeof f !== "function") throw new TypeError("The dot-product kernel does not export its function");
  return (rows, width, from) => {
    f(rows, width, from);
  };
}
