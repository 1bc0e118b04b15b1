/** The mean of the rows and the `count` directions in which they vary most, the strongest first. */
export function principalAxes(
  rows: readonly Float32Array[],
  count: number,
): { mean: Float64Array; axes: Float64Array[] } {
  const size = rows[0]?.length ?? 0;
  const mean = new Float64Array(size);
  for (const row of rows) {
    for (const [index, value] of row.entries()) {
      mean[index] = (mean[index] ?? 0) + value / rows.length;
    }
  }
  const { values, vectors } = eigenvectors(covariance(rows, mean));
  const order = [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, count);
  return {
    mean,
    axes: order.map((column) => vectors.map((row) => row[column] ?? 0)).map((axis) => Float64Array.from(axis)),
  };
}

/** The coordinates of a row on the axes. */
export function project(row: Float32Array, mean: Float64Array, axes: readonly Float64Array[]): Float32Array {
  return Float32Array.from(axes, (axis) =>
    axis.reduce((sum, value, index) => sum + value * ((row[index] ?? 0) - (mean[index] ?? 0)), 0),
  );
}

function covariance(rows: readonly Float32Array[], mean: Float64Array): Float64Array[] {
  const size = mean.length;
  const result = Array.from({ length: size }, () => new Float64Array(size));
  const centred = new Float64Array(size);
  for (const row of rows) {
    for (let index = 0; index < size; index++) {
      centred[index] = (row[index] ?? 0) - (mean[index] ?? 0);
    }
    for (const [index, line] of result.entries()) {
      const factor = (centred[index] ?? 0) / rows.length;
      for (let other = 0; other <= index; other++) {
        line[other] = (line[other] ?? 0) + factor * (centred[other] ?? 0);
      }
    }
  }
  return result.map((line, index) =>
    line.map((value, other) => (other <= index ? value : (result[other]?.[index] ?? 0))),
  );
}

// Jacobi's method: slow and exact, and a matrix of 384 by 384 is small.
function eigenvectors(matrix: Float64Array[]): { values: number[]; vectors: Float64Array[] } {
  const size = matrix.length;
  const vectors = Array.from({ length: size }, (_, row) =>
    Float64Array.from({ length: size }, (_, column) => (row === column ? 1 : 0)),
  );
  for (let sweep = 0; sweep < 30 && offDiagonal(matrix) > 1e-18; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        rotate(matrix, vectors, p, q);
      }
    }
  }
  return { values: matrix.map((row, index) => row[index] ?? 0), vectors };
}

function offDiagonal(matrix: readonly Float64Array[]): number {
  return matrix.reduce(
    (sum, row, index) => sum + row.reduce((part, value, other) => (other === index ? part : part + value * value), 0),
    0,
  );
}

function rotate(matrix: Float64Array[], vectors: Float64Array[], p: number, q: number): void {
  const [rowP, rowQ] = [matrix[p], matrix[q]];
  if (rowP === undefined || rowQ === undefined) return;
  const off = rowP[q] ?? 0;
  if (Math.abs(off) < 1e-15) return;
  const theta = ((rowQ[q] ?? 0) - (rowP[p] ?? 0)) / (2 * off);
  const tangent = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (const row of matrix) turnColumns(row, p, q, cosine, sine);
  for (let index = 0; index < rowP.length; index++) {
    const [a, b] = [rowP[index] ?? 0, rowQ[index] ?? 0];
    rowP[index] = cosine * a - sine * b;
    rowQ[index] = sine * a + cosine * b;
  }
  for (const row of vectors) turnColumns(row, p, q, cosine, sine);
}

function turnColumns(row: Float64Array, p: number, q: number, cosine: number, sine: number): void {
  const [a, b] = [row[p] ?? 0, row[q] ?? 0];
  row[p] = cosine * a - sine * b;
  row[q] = sine * a + cosine * b;
}
