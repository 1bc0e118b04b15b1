import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { readInput } from "../../src/hook/hook-input.ts";
import { takeWords } from "../../src/hook/take-words.ts";
import type { Memory } from "../../src/memory.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const secret =
  "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIj-AbCdEfAA";
const PROMPTS = ["Please book the hotel in Lisbon", "No wait, make that Porto", `My key is ${secret}`];
const ANSWERS = ["<think>hm</think>Lisbon is booked", "Porto is booked", ""];

/** Everything that is said in one turn, at times that differ from one telling to the next. */
async function tellTurn(memory: Memory, client: string, hour: string): Promise<number> {
  let stored = 0;
  for (const [index, prompt] of PROMPTS.entries()) {
    const common = { session_id: "s", turn_id: "t" };
    const told = [
      ["UserPromptSubmit", { ...common, prompt }],
      ["Stop", { ...common, last_assistant_message: ANSWERS[index] }],
    ] as const;
    for (const [event, input] of told) {
      const called = { client, event, at: `2026-11-15T${hour}:0${index}:00.000Z`, input: JSON.stringify(input) };
      stored += await takeWords(memory, called, readInput(called));
    }
  }
  return stored;
}

const openMasked = () =>
  open({ workspace: temporaryFolder(), passive: true, now, config: { secrets: { transcripts: "mask" } } });

it.each(["codex", "some-client"])("stores all that is said in one turn of %s, and nothing twice", async (client) => {
  const memory = await openMasked();
  expect(await tellTurn(memory, client, "10")).toBe(5);
  expect(await tellTurn(memory, client, "11")).toBe(0);
  const said = (await memory.session(`${client}:s`)).messages();
  expect(said.map(({ content }) => content)).toEqual([
    PROMPTS[0],
    expect.stringContaining("Lisbon is booked"),
    PROMPTS[1],
    ANSWERS[1],
    expect.not.stringContaining(secret),
  ]);
  expect(new Set(said.map(({ id }) => id)).size).toBe(5);
});

it("knows what was stored of a turn when its words were no part of the id", async () => {
  const memory = await openMasked();
  const nameOf = (role: string) =>
    createHash("sha256")
      .update(JSON.stringify(["codex", "s", "t", role]))
      .digest("hex")
      .slice(0, 16);
  const session = await memory.session("codex:s");
  await session.append({ role: "user", content: PROMPTS[2] ?? "", id: nameOf("user") });
  await session.append({ role: "assistant", content: ANSWERS[0] ?? "", id: nameOf("assistant") });
  // Also when all of it is digested.
  await memory.markDigested("codex:s", 2);
  expect(await tellTurn(memory, "codex", "10")).toBe(3);
  expect(await tellTurn(memory, "codex", "11")).toBe(0);
});

it("does not take a turn for another one because it has the same words", async () => {
  const memory = await openMasked();
  for (const turn of ["one", "two"]) {
    const input = JSON.stringify({ session_id: "s", turn_id: turn, prompt: "go on" });
    const called = { client: "codex", event: "UserPromptSubmit", at: "2026-11-15T10:00:00.000Z", input };
    expect(await takeWords(memory, called, readInput(called))).toBe(1);
  }
});
