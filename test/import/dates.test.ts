// @module-tag stores
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFrom } from "../../src/import/import-from.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const now = () => new Date("2026-12-01T09:00:00Z");

/** Imports conversations as Claude exports them, twice; the times that are stored. */
async function timesOf(talks: readonly (readonly unknown[])[]): Promise<unknown[][]> {
  const path = join(temporaryFolder(), "conversations.json");
  const conversations = talks.map((times, talk) => ({
    uuid: `c${talk}`,
    name: `Talk ${talk}`,
    chat_messages: times.map((created_at, index) => ({
      uuid: `m${index}`,
      text: `Words ${talk}-${index}`,
      sender: index % 2 === 0 ? "human" : "assistant",
      created_at,
    })),
  }));
  writeFileSync(path, JSON.stringify(conversations));
  const memory = await open({ workspace: temporaryFolder(), passive: true, now });
  const bring = () => importFrom(memory, { path, dryRun: false, now });
  const count = talks.flat().length;
  expect(await bring()).toMatchObject({ messages: { added: count } });
  expect(await bring()).toMatchObject({ messages: { added: 0, known: count } });
  const sessions = await Promise.all(conversations.map(({ uuid }) => memory.session(`claude:${uuid}`)));
  return sessions.map((session) => session.messages().map(({ timestamp }) => timestamp));
}

describe("the time of an imported message", () => {
  it("is read in any unit that programs count in", async () => {
    const time = "2026-02-02T02:40:00.000Z";
    const seconds = Date.parse(time) / 1000;
    const units = [time, `${seconds}`, `${seconds}000`, `${seconds}000000`, `${seconds}000000000`, `${seconds}.0`];
    expect(await timesOf([units])).toEqual([units.map(() => time)]);
  });

  it("is that of its neighbours where it has none, or none that can be read", async () => {
    const [one, other] = ["2026-02-02T02:40:00Z", "2026-02-03T02:40:00Z"];
    const talks = [
      [undefined, one, undefined, "yesterday", other, ""],
      [null, "0", one],
    ];
    expect(await timesOf(talks)).toEqual([
      [one, one, one, one, other, other],
      [one, one, one],
    ]);
  });
});
