interface Cell {
  weight: number;
  /** Where the alignment goes on: both, or past one of the two. */
  step: "both" | "stored" | "sent";
}

/**
 * Pairs two lists in their order, so that the pairs weigh as much as they can: for each of `wanted` the place of its
 * partner in `tail`, or undefined. Where several ways weigh the same, the later partners are taken.
 */
export function alignMessages(
  tail: readonly string[],
  wanted: readonly string[],
  weigh: (index: number) => number,
): (number | undefined)[] {
  const rows = weighPairs(tail, wanted, weigh);
  const partners: (number | undefined)[] = wanted.map(() => undefined);
  let index = wanted.length;
  let column = tail.length;
  while (index > 0 && column > 0) {
    const step = rows[index]?.[column]?.step;
    if (step === "both") partners[--index] = --column;
    else if (step === "sent") index -= 1;
    else column -= 1;
  }
  return partners;
}

function weighPairs(tail: readonly string[], wanted: readonly string[], weigh: (index: number) => number): Cell[][] {
  const rows: Cell[][] = [tail.concat("").map(() => ({ weight: 0, step: "sent" }))];
  for (const [index, print] of wanted.entries()) {
    const above = rows[index] ?? [];
    const row: Cell[] = [{ weight: 0, step: "sent" }];
    for (const [column, other] of tail.entries()) {
      const past = above[column + 1]?.weight ?? 0;
      const before = row[column]?.weight ?? 0;
      const paired = print === other ? (above[column]?.weight ?? 0) + weigh(index) : -1;
      const best = Math.max(past, before, paired);
      row.push({ weight: best, step: paired === best ? "both" : past === best ? "sent" : "stored" });
    }
    rows.push(row);
  }
  return rows;
}
