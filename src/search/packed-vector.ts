/** How many vectors are stored and compared at a time. */
export const BLOCK_ROWS = 256;

/** Vectors in the form in which they are compared: a factor each, and then their rows. */
export interface VectorBlock {
  readonly rows: number;
  readonly packed: Uint8Array;
}

const LANES = 16;
// Four bits a number: measured on the worlds of the recall benchmark, nothing is lost against eight or thirty-two, and
// the vectors of short passages take about as much room as their text.
const LEVELS = 7;
/** Half a byte knows no sign: this is added to each number. */
export const OFFSET = 8;
/** The length of the factor that brings a vector back. */
export const SCALE_BYTES = 4;

/** A vector as it is stored: the factor that brings it back, and half a byte a number. */
export function packVector(vector: Float32Array): Uint8Array {
  const packed = new Uint8Array(SCALE_BYTES + Math.ceil(vector.length / 2));
  let largest = 0;
  for (let index = 0; index < vector.length; index++) {
    const size = Math.abs(vector[index] ?? 0);
    if (size > largest) largest = size;
  }
  const scale = largest / LEVELS || 1;
  // Nothing is below zero then, so that to cut is to round: half of the time of Math.round().
  const levelOf = (value: number) => (value / scale + OFFSET + 0.5) | 0;
  for (let index = 0; index < vector.length; index += 2) {
    const upper = index + 1 < vector.length ? levelOf(vector[index + 1] ?? 0) : 0;
    packed[SCALE_BYTES + (index >> 1)] = levelOf(vector[index] ?? 0) | (upper << 4);
  }
  new DataView(packed.buffer).setFloat32(0, scale, true);
  return packed;
}

/** The vector that `packVector` packed, as exactly as four bits keep it. */
export function unpackVector(packed: Uint8Array, dimensions: number): Float32Array {
  const scale = new DataView(packed.buffer, packed.byteOffset).getFloat32(0, true);
  return unpackLevels(packed, SCALE_BYTES, scale, dimensions);
}

/** A vector out of half bytes that begin at a place, and the factor that brings it back. */
export function unpackLevels(bytes: Uint8Array, from: number, scale: number, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let index = 0; index < dimensions; index++) {
    const pair = bytes[from + (index >> 1)] ?? 0;
    vector[index] = scale * (((index & 1) === 0 ? pair & 15 : pair >> 4) - OFFSET);
  }
  return vector;
}

/** How long the row of a vector of so many dimensions is in a block. */
export function rowBytes(dimensions: number): number {
  return Math.ceil(dimensions / (2 * LANES)) * LANES;
}

/** Puts vectors, each as `packVector` made it, together to a block. */
export function packBlock(vectors: readonly Uint8Array[], dimensions: number): VectorBlock {
  const width = rowBytes(dimensions);
  const packed = new Uint8Array(vectors.length * (SCALE_BYTES + width));
  vectors.forEach((vector, row) => {
    packed.set(vector.subarray(0, SCALE_BYTES), row * SCALE_BYTES);
    packed.set(vector.subarray(SCALE_BYTES), vectors.length * SCALE_BYTES + row * width);
  });
  return { rows: vectors.length, packed };
}

/** The vectors of a block, as `packVector` made them. */
export function unpackBlock(block: VectorBlock, dimensions: number): Uint8Array[] {
  return Array.from({ length: block.rows }, (_, row) => unpackRow(block, row, dimensions));
}

/** One vector of a block, as `packVector` made it. */
export function unpackRow({ rows, packed }: VectorBlock, row: number, dimensions: number): Uint8Array {
  const vector = new Uint8Array(SCALE_BYTES + Math.ceil(dimensions / 2));
  const start = rows * SCALE_BYTES + row * rowBytes(dimensions);
  vector.set(packed.subarray(row * SCALE_BYTES, (row + 1) * SCALE_BYTES));
  vector.set(packed.subarray(start, start + vector.length - SCALE_BYTES), SCALE_BYTES);
  return vector;
}
