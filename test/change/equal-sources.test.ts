import { expect, it } from "vitest";
import { startPlace } from "../trust/place.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("tidying dates each of two facts in the same words by its own message", async () => {
  let day = 15;
  const memory = await open({ workspace: temporaryFolder(), now: () => new Date(Date.UTC(2026, 10, day, 9)) });
  const session = await memory.session("cli:a");
  const fact = "saw the dentist yesterday";
  await session.append({ role: "user", content: `Ana ${fact}.` });
  await memory.remember("cli:a", { fact, heading: "Ana", by: "user" });
  day = 20;
  const other = await memory.session("cli:b");
  await other.append({ role: "user", content: `Ben ${fact}.` });
  await memory.remember("cli:b", { fact, heading: "Ben", by: "user" });
  await memory.tidy();
  expect(await memory.readMemory()).toBe(
    "# Memory\n\n## Ana\n\n- saw the dentist yesterday [2026-11-14]\n\n## Ben\n\n- saw the dentist yesterday [2026-11-19]\n",
  );
});

it("imported facts in the same words each have their own message", async () => {
  const memory = await open({ workspace: temporaryFolder() });
  const facts = ["Ana", "Ben"].map((heading) => ({ text: "likes tea", heading, message: `about ${heading}` }));
  await memory.propose((await memory.session("cli:a")).key, facts, { run: "r1", from: "elsewhere" });
  const [waiting] = await memory.review();
  expect(waiting?.items.map(({ heading, source }) => [heading, source?.message])).toEqual([
    ["Ana", "about Ana"],
    ["Ben", "about Ben"],
  ]);
});

it.each([["with the model's quotes", true] as const, ["without", false] as const])(
  "facts in the same words of one digest each have the message that speaks of them, %s",
  async (_, isQuoted) => {
    const said = ["Ana likes tea.", "By the way, Ben likes tea."];
    const ids: string[] = [];
    const { memory } = await startPlace(() => ({
      memory: "# Memory\n\n## Ben\n\n- likes tea\n\n## Ana\n\n- likes tea\n",
      evidence: isQuoted ? said.map((quote, at) => ({ fact: "likes tea", quote, message: ids[at] ?? "" })) : [],
    }));
    const session = await memory.session("cli:a");
    for (const content of said) ids.push((await session.append({ role: "user", content }))?.id ?? "");
    await memory.consolidate("cli:a", { all: true });
    const stories = await memory.trust.why("likes tea");
    const sources = stories.map(({ under, message, quote }) => [under.at(-1), message, quote]);
    expect(sources).toEqual([
      ["Ben", ids[1], isQuoted ? said[1] : null],
      ["Ana", ids[0], isQuoted ? said[0] : null],
    ]);
  },
);
