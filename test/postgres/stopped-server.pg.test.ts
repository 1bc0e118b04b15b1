import { describe, expect, it } from "vitest";
import { runChaos } from "./chaos.ts";

const database = {
  url: process.env["TIDEMARK_TEST_POSTGRES"] ?? "",
  restart: () => Promise.reject(new Error("others use this server, too")),
};

// Three times as long as a lock outlives its owner there: all that it held is someone else's by then.
const STOP_MS = 6000;
// Few need to be answered: a busy machine is no failure.
const CALM = { servers: 2, workers: 1, clients: 12, killEveryMs: 0, restarts: 0, least: 3 };

describe("of several servers over one database", () => {
  it("some stand still for a while and go on: nothing is lost, twice or out of order", async () => {
    expect(await runChaos(database, { ...CALM, seconds: 14, stops: 2, stopMs: STOP_MS })).toBe(true);
  });

  it("some have a clock that is wrong by years: nothing is lost, twice or out of order, and no work is left", async () => {
    expect(await runChaos(database, { ...CALM, workers: 2, seconds: 8, clocks: [1500, 0, -9000, 0] })).toBe(true);
  });
});
