import { expect, it } from "vitest";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("a session takes more messages at once than a call can have arguments", async () => {
  const session = await (await open({ workspace: temporaryFolder() })).session("cli:a");
  await session.appendAll(talk(130_000));
  expect(session.length).toBe(130_000);
});
