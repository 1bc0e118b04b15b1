import { expect, it } from "vitest";
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
    "# Memory\n\n## Ana\n\n- saw the dentist on 2026-11-14\n\n## Ben\n\n- saw the dentist on 2026-11-19\n",
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
