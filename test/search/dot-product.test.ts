import { describe, expect, it } from "vitest";
import { createVectorMatrix, packVector } from "../../src/search/dot-product.ts";

function unitVector(dimensions: number, seed: number): Float32Array {
  const raw = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 37 + index * (seed + 1) * 0.7));
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}

describe("a matrix of vectors", () => {
  it.each([32, 100, 256, 384, 1536])("compares vectors of %i dimensions closely enough to rank by", (dimensions) => {
    const matrix = createVectorMatrix(dimensions);
    // More than one block of the kernel, and more than one page of memory.
    const vectors = Array.from({ length: 5_000 }, (_, seed) => unitVector(dimensions, seed));
    vectors.forEach((vector, index) => expect(matrix.add(packVector(vector))).toBe(index));
    const question = unitVector(dimensions, 77.5);
    const cosines = matrix.compare(question);
    expect(cosines).toHaveLength(vectors.length);
    vectors.forEach((vector, index) => {
      const exact = vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0);
      expect(Math.abs((cosines[index] ?? 9) - exact)).toBeLessThan(0.06);
    });
  });

  it("ranks as exact cosines do, but for near ties", () => {
    const matrix = createVectorMatrix(256);
    const vectors = Array.from({ length: 300 }, (_, seed) => unitVector(256, seed));
    for (const vector of vectors) matrix.add(packVector(vector));
    vectors.forEach((vector, index) => {
      const cosines = matrix.compare(vector);
      expect(cosines.indexOf(Math.max(...cosines))).toBe(index);
    });
  });

  it("stores a vector of zeros", () => {
    const matrix = createVectorMatrix(16);
    matrix.add(packVector(new Float32Array(16)));
    expect([...matrix.compare(unitVector(16, 1))]).toEqual([0]);
  });
});
