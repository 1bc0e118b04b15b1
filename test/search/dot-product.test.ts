import { describe, expect, it } from "vitest";
import { createVectorMatrix } from "../../src/search/vector-matrix.ts";
import { BLOCK_ROWS, packBlock, packVector, unpackBlock } from "../../src/search/packed-vector.ts";

function unitVector(dimensions: number, seed: number): Float32Array {
  const raw = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 37 + index * (seed + 1) * 0.7));
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0));
  return raw.map((value) => value / length);
}

/** A matrix with these vectors, block after block, and a way to compare a question with all of them. */
function fill(vectors: readonly Float32Array[], dimensions: number): (question: Float32Array) => Float32Array {
  const matrix = createVectorMatrix(dimensions);
  const blocks = Math.ceil(vectors.length / BLOCK_ROWS);
  for (let place = 0; place < blocks; place++) {
    const some = vectors.slice(place * BLOCK_ROWS, (place + 1) * BLOCK_ROWS);
    matrix.put(place, packBlock(some.map(packVector), dimensions));
  }
  return (question) => {
    matrix.ask(question);
    const cosines = Array.from({ length: blocks }, (_, place) => [...matrix.compare(place)]).flat();
    return Float32Array.from(cosines.slice(0, vectors.length));
  };
}

describe("a matrix of vectors", () => {
  it.each([32, 100, 256, 384, 1536])("compares vectors of %i dimensions closely enough to rank by", (dimensions) => {
    // More than one block, the last one not full, and more than one page of memory.
    const vectors = Array.from({ length: 1_500 }, (_, seed) => unitVector(dimensions, seed));
    const question = unitVector(dimensions, 77.5);
    const cosines = fill(vectors, dimensions)(question);
    vectors.forEach((vector, index) => {
      const exact = vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0);
      expect(Math.abs((cosines[index] ?? 9) - exact)).toBeLessThan(0.06);
    });
  });

  it("ranks as exact cosines do, but for near ties", () => {
    const vectors = Array.from({ length: 300 }, (_, seed) => unitVector(256, seed));
    const compare = fill(vectors, 256);
    vectors.forEach((vector, index) => {
      const cosines = compare(vector);
      expect(cosines.indexOf(Math.max(...cosines))).toBe(index);
    });
  });

  it("stores a vector of zeros", () => {
    expect([...fill([new Float32Array(16)], 16)(unitVector(16, 1))]).toEqual([0]);
  });

  it("compares a place with what was put there last", () => {
    const matrix = createVectorMatrix(64);
    const [one, other] = [unitVector(64, 1), unitVector(64, 2)];
    matrix.put(3, packBlock([one, one].map(packVector), 64));
    matrix.put(3, packBlock([other].map(packVector), 64));
    matrix.ask(other);
    const cosines = matrix.compare(3);
    expect(cosines[0]).toBeCloseTo(1, 1);
    expect(cosines[1]).toBeNaN();
  });

  it("puts vectors into the rows that are named for them", () => {
    const matrix = createVectorMatrix(64);
    const vectors = [unitVector(64, 1), unitVector(64, 2)];
    matrix.put(1, packBlock(vectors.map(packVector), 64), Uint8Array.of(200, 3));
    matrix.ask(unitVector(64, 1));
    const cosines = matrix.compare(1);
    expect(cosines[200]).toBeCloseTo(1, 1);
    expect(cosines[3]).toBeLessThan(0.9);
    expect(cosines.filter((cosine) => !Number.isNaN(cosine))).toHaveLength(2);
  });

  it.each([16, 100, 256])("gives back the vectors of %i dimensions that a block is made of", (dimensions) => {
    const vectors = Array.from({ length: 7 }, (_, seed) => packVector(unitVector(dimensions, seed)));
    expect(unpackBlock(packBlock(vectors, dimensions), dimensions)).toEqual(vectors);
  });
});
