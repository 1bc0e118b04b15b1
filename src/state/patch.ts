import { z } from "zod";

/** Reading a text goes back over at most so many differences. */
export const WHOLE_EVERY = 32;

/** What stands in the place of the middle of a text: where that begins and ends, and what it says. */
const Patch = z.tuple([z.number(), z.number(), z.string()]);

/** The difference between two texts, as one piece of the middle. */
export function makePatch(before: string, after: string): z.infer<typeof Patch> {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < most - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  return [start, before.length - tail, after.slice(start, after.length - tail)];
}

/** The text that a difference makes of another one. */
export function applyPatch(text: string, json: string): string {
  const [start, end, middle] = Patch.parse(JSON.parse(json));
  return text.slice(0, start) + middle + text.slice(end);
}
