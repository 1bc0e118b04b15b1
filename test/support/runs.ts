// The long suites try each property many times as often.
const TIMES = Number(process.env["TIDEMARK_TEST_TIMES"] ?? 1);

/** How often a property is tried. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: Math.ceil(count * TIMES) };
}

/** How long that may take. */
export function within(ms: number): number {
  return ms * Math.max(1, TIMES);
}
