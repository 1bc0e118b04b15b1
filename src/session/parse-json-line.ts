/** As deep as a message may be nested. What walks over one calls itself for each level, and a call stack ends. */
export const DEEPEST = 500;

/** Reads a line of JSON; undefined if it is none, or is nested so deeply that nobody could work with it. */
export function parseJsonLine(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // Each level takes a bracket at either end.
    return text.length > 2 * DEEPEST && isDeeperThan(value, DEEPEST) ? undefined : value;
  } catch (error) {
    // A parser that calls itself runs out of stack instead.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether a value is nested deeper than so many levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const name in value)
    if (Object.hasOwn(value, name) && isDeeperThan(Reflect.get(value, name), levels - 1)) return true;
  return false;
}
