import { MemoryError } from "../errors.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { DEEPEST, isDeeperThan } from "../session/parse-json-line.ts";

/** The JSON of a request; undefined where it is none. What is nested too deeply is refused before anyone walks over it. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await request.text();
  try {
    const value = parseIfJson(text);
    if (text.length <= 2 * DEEPEST || !isDeeperThan(value, DEEPEST)) return value;
  } catch (error) {
    // A parser that calls itself runs out of stack.
    if (!(error instanceof RangeError)) throw error;
  }
  throw new MemoryError("MESSAGE_INVALID", `The body is nested deeper than ${DEEPEST} levels`);
}
