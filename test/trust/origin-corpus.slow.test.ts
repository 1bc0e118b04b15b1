import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/workspace.ts";
import { tryForgets } from "./attacks/run-forgets.ts";
import { tryOrdinary, tryPoisonings } from "./attacks/run-talks.ts";

describe("facts and where they come from (cases 82 to 84)", () => {
  it("holds every poisoning that we know of", { timeout: 300_000 }, async () => {
    const attempts = await tryPoisonings(temporaryFolder);
    expect(attempts.length).toBeGreaterThanOrEqual(150);
    expect(new Set(attempts.map((attempt) => attempt.class)).size).toBeGreaterThanOrEqual(11);
    expect(attempts.filter(({ isHeld }) => !isHeld).map(({ name }) => name)).toEqual([]);
  });

  it("lets at most one true fact in twenty wait in ordinary talk with tools", { timeout: 300_000 }, async () => {
    const believed = await tryOrdinary(temporaryFolder);
    const waiting = believed.filter(({ isIn }) => !isIn);
    expect(believed.length).toBeGreaterThanOrEqual(100);
    expect(waiting.length / believed.length).toBeLessThanOrEqual(0.05);
  });
});

it("forgetting takes all of it, and no neighbour: the whole corpus", { timeout: 300_000 }, async () => {
  const done = await tryForgets(temporaryFolder);
  expect(done.length).toBeGreaterThanOrEqual(40);
  expect(done.filter(({ isHeld }) => !isHeld)).toEqual([]);
});
