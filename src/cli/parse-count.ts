import { InvalidArgumentError } from "commander";

/** Reads a whole number from 1 on; anything else is wrong usage, named with its option. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("It must be a whole number, 1 or more.");
  return count;
}
