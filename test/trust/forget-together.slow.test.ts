import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { open, talk } from "../support/talk.ts";
import { temporaryFolder } from "../support/workspace.ts";
import { filesHolding } from "./place.ts";

const BIN = join(import.meta.dirname, "../../bin/tidemark.js");

describe("forget while others are at work", () => {
  it("loses no message that is said meanwhile, and moves none", async () => {
    const workspace = temporaryFolder();
    const one = await open({ workspace });
    const other = await open({ workspace });
    const session = await one.session("cli:a");
    await session.appendAll(talk(40));
    await session.append({ role: "user", content: "my Zanzibar trip", id: "secret" });
    await one.consolidate("cli:a", { all: true });
    const elsewhere = await other.session("cli:a");
    const said: string[] = [];
    const talking = (async () => {
      for (let index = 0; index < 120; index++) {
        const message = await elsewhere.append({ role: "user", content: `live ${index}` });
        said.push(message?.id ?? "");
        if (index % 40 === 20) await elsewhere.append({ role: "user", content: `again Zanzibar ${index}` });
      }
    })();
    for (let round = 0; round < 4; round++) {
      await one.trust.forget({ text: "Zanzibar" });
      await wait(50);
    }
    await talking;
    await one.trust.forget({ text: "Zanzibar" });
    const fresh = await open({ workspace, passive: true });
    const messages = (await fresh.session("cli:a")).messages();
    expect(messages).toHaveLength(40 + 1 + 120 + 3);
    const live = messages.filter(({ content }) => typeof content === "string" && content.startsWith("live"));
    expect(live.map(({ id }) => id)).toEqual(said);
    expect(live.map(({ content }) => content)).toEqual(Array.from({ length: 120 }, (_, index) => `live ${index}`));
    expect((await fresh.session("cli:a")).cursor).toBe(41);
    expect(elsewhere.messages()).toHaveLength(messages.length);
    expect(filesHolding(workspace, "Zanzibar")).toEqual([]);
  });

  it("killed at any instant, leaves a whole workspace, and the next one finishes the work", async () => {
    const workspace = temporaryFolder();
    const memory = await open({ workspace });
    const session = await memory.session("cli:a");
    for (let index = 0; index < 6; index++) {
      await session.append({ role: "user", content: `I prefer tea number ${index} from Zanzibar.` });
      await session.append({ role: "assistant", content: `Noted ${index}.` });
      await memory.consolidate("cli:a", { all: true });
    }
    await memory.search("tea");
    await memory.close();
    for (const delayMs of [250, 330, 400, 470, 550, 650]) {
      const child = spawn(process.execPath, [BIN, "forget", "Zanzibar", "--yes", "-w", workspace], { stdio: "ignore" });
      await wait(delayMs);
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
      const looked = await open({ workspace });
      const read = await looked.session("cli:a");
      expect(read.messages()).toHaveLength(12);
      expect(read.cursor).toBe(12);
      expect((await looked.trust.ledger()).lost).toEqual([]);
      await looked.close();
    }
    expect(await runCli(["forget", "Zanzibar", "--yes", "-w", workspace])).toMatchObject({ code: 0 });
    expect(filesHolding(workspace, "Zanzibar")).toEqual([]);
  });
});
