import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createClientTalk } from "../../src/door/client-talk.ts";
import { FORGETTINGS_PLACE, FORGOTTEN_PLACE } from "../../src/layout.ts";
import { isKept, ofFolder, readIfKept, readKept, writeKept } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const DAMAGED = `${FORGOTTEN_PLACE}.damaged`;
const WORDS = "My locker code is zebra-forty-two";
const hello = (id: string, content = `hello there, this is ${id}`) => [{ role: "user" as const, content, id }];

it("stores what clients say, and forgets, where it is damaged what was forgotten before", async () => {
  for (const damage of ["", "{", '{"version":1,"salt":"short","hashes":[]}']) {
    const workspace = temporaryFolder();
    const memory = await open({ workspace, passive: true });
    await writeKept(workspace, FORGOTTEN_PLACE, damage);
    const talk = createClientTalk(memory);
    expect([damage, await talk.hear("http:1", hello("one"))]).toEqual([damage, 1]);
    expect(await talk.hear("http:1", [...hello("one"), ...hello("two", WORDS)])).toBe(1);
    expect(await memory.trust.forget({ text: "zebra-forty-two" })).toMatchObject({ kind: "forgotten" });
    expect(await readKept(workspace, DAMAGED)).toBe(damage);
    // It is known again from now on.
    const again = [...hello("three", WORDS), { role: "assistant" as const, content: "Noted", id: "four" }];
    await talk.hear("http:2", [...again, ...hello("five")]);
    const kept = (await memory.session("http:2")).messages().map(({ content }) => content);
    expect(kept).toEqual(["Noted", "hello there, this is five"]);
    await memory.close();
  }
});

it("says so when the memory is opened, and puts it aside unless it only looks", async () => {
  const workspace = temporaryFolder();
  const notices: string[] = [];
  const onNotice = (text: string) => notices.push(text);
  await (await open({ workspace, passive: true, onNotice })).close();
  await writeKept(workspace, FORGOTTEN_PLACE, "{ cut o");
  await (await open({ workspace, readOnly: true, onNotice })).close();
  expect(notices).toEqual([expect.stringMatching(/^changes\/forgotten\.json is damaged: /)]);
  expect([await readKept(workspace, FORGOTTEN_PLACE), await isKept(workspace, DAMAGED)]).toEqual(["{ cut o", false]);
  const memory = await open({ workspace, passive: true, onNotice });
  expect(notices[1]).toContain(`put aside as ${DAMAGED}`);
  expect([await readIfKept(workspace, FORGOTTEN_PLACE), await readKept(workspace, DAMAGED)]).toEqual([
    undefined,
    "{ cut o",
  ]);
  expect(await createClientTalk(memory).hear("http:1", hello("one"))).toBe(1);
  await (await open({ workspace, passive: true, onNotice })).close();
  expect(notices.length).toBe(2);
});

ofFolder("a link leads to itself")("stores what clients say where it cannot be read at all, and says so", async () => {
  for (const name of [FORGOTTEN_PLACE, FORGETTINGS_PLACE]) {
    const workspace = temporaryFolder();
    const notices: string[] = [];
    mkdirSync(join(workspace, "changes"));
    symlinkSync(join(workspace, name), join(workspace, name));
    const memory = await open({ workspace, passive: true, onNotice: (text) => notices.push(text) });
    expect([name, await createClientTalk(memory).hear("http:1", hello("one"))]).toEqual([name, 1]);
    if (name === FORGOTTEN_PLACE) expect(notices.join("\n")).toContain(`Cannot read ${join(workspace, name)}`);
    await memory.close();
  }
});
