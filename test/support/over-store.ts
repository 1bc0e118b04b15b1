import { afterAll } from "vitest";
import { countUses } from "./kept.ts";

// Loaded with each suite that runs over another store: one that goes past `open` would pass without having tried it.
afterAll(() => {
  if (countUses() === 0) throw new Error("This suite never opened the store that it is run over.");
});
