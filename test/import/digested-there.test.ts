import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importFrom } from "../../src/import/import-from.ts";
import { open } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";

const now = () => new Date("2026-12-01T09:00:00Z");
const KEY = "telegram:1";
const openEmpty = () => open({ workspace: temporaryFolder(), passive: true, now });

const roleAt = (index: number) => (index % 2 === 0 ? ("user" as const) : ("assistant" as const));

/** A session of twelve messages, of which nanobot had digested eight; two of those speak of Zanzibar. */
function folderOf(digested = 8): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "sessions"));
  mkdirSync(join(root, "memory"));
  writeFileSync(join(root, "memory/MEMORY.md"), "# Memory\n\n- likes tea\n");
  const time = "2026-01-01T00:00:00";
  const header = { _type: "metadata", key: KEY, created_at: time, updated_at: time, metadata: {} };
  const said = Array.from({ length: 12 }, (_, index) => ({
    role: roleAt(index),
    content: index === 2 || index === 7 ? `The code word is Zanzibar ${index}` : `talk ${index}`,
    timestamp: `2026-01-01T00:${String(index).padStart(2, "0")}:00`,
  }));
  const lines = [{ ...header, last_consolidated: digested }, ...said];
  writeFileSync(join(root, "sessions/telegram_1.jsonl"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return root;
}

async function importedFrom(path: string) {
  const memory = await openEmpty();
  await importFrom(memory, { path, dryRun: false, now });
  const said = (await memory.session(KEY)).messages();
  return said.map(({ id, content = null }, index) => ({ id, content, role: roleAt(index) }));
}

it.each([12, 5])("moves the cursor when an import was killed after it had stored %i messages", async (stored) => {
  const path = folderOf();
  const said = await importedFrom(path);
  const memory = await openEmpty();
  await (await memory.session(KEY)).appendAll(said.slice(0, stored));
  const outcome = await importFrom(memory, { path, dryRun: false, now });
  expect(outcome.messages).toEqual({ added: 12 - stored, known: stored });
  expect(await memory.session(KEY)).toMatchObject({ length: 12, cursor: 8 });
});

it("passes over no message that was not digested there when others were forgotten here", async () => {
  const memory = await openEmpty();
  for (const number of [2, 7])
    await (await memory.session("cli:a")).append({ role: "user", content: `The code word is Zanzibar ${number}` });
  await memory.trust.forget({ text: "Zanzibar" });
  await importFrom(memory, { path: folderOf(), dryRun: false, now });
  const session = await memory.session(KEY);
  expect(session.messages(session.cursor).map(({ content }) => content)).toEqual(
    [8, 9, 10, 11].map((at) => `talk ${at}`),
  );
});

it("does not pass over what was said here before, nor go back", async () => {
  const path = folderOf();
  const said = await importedFrom(path);
  const [mine, ahead] = [await openEmpty(), await openEmpty()];
  await (await mine.session(KEY)).append({ role: "user", content: "I was here first" });
  await importFrom(mine, { path, dryRun: false, now });
  expect(await mine.session(KEY)).toMatchObject({ length: 13, cursor: 0 });
  await (await ahead.session(KEY)).appendAll(said);
  await ahead.markDigested(KEY, 10);
  await importFrom(ahead, { path, dryRun: false, now });
  expect((await ahead.session(KEY)).cursor).toBe(10);
});

it("passes over everything where all was digested there, and nothing where nothing was", async () => {
  for (const digested of [12, 0]) {
    const memory = await openEmpty();
    await importFrom(memory, { path: folderOf(digested), dryRun: false, now });
    expect((await memory.session(KEY)).cursor).toBe(digested);
  }
});
