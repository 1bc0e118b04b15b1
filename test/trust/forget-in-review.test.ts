import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Memory } from "../../src/index.ts";
import { isLocked } from "../../src/store/files/lock.ts";
import { ofFolder } from "../support/kept.ts";
import { open } from "../support/talk.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const SECRET = "Zanzibar";
const TOLD = `going to ${SECRET} in June`;

/** A memory in which it is believed, was believed once, and waits in the review. */
async function start() {
  const workspace = temporaryFolder();
  const [memory, other] = [await open({ workspace }), await open({ workspace })];
  await memory.remember("cli:a", { fact: TOLD, by: "user" });
  await memory.remember("cli:a", { fact: "likes tea", by: "user" });
  const facts = [
    { text: `${TOLD} with Rui`, heading: "Trips", message: "" },
    { text: "likes dogs", heading: "Animals", message: "" },
  ];
  await memory.propose("cli:a", facts, { change: "change1", from: "test" });
  const file = await memory.proposeFile("cli:a", { path: "SOUL.md", text: `You love ${SECRET}.\n`, by: "test" });
  const steering = (await memory.review()).find(({ items }) => items.some((item) => item.file === file));
  return { workspace, memory, other, steering: steering?.change ?? "" };
}

/** Forgets, and does something else in the moment before a log of changes is rewritten. */
async function forgetMeanwhile(other: Memory, begin: () => Promise<unknown>): Promise<PromiseSettledResult<unknown>> {
  const { changes } = other.opened;
  const rewrite = changes.rewrite.bind(changes);
  let begun: Promise<PromiseSettledResult<unknown>[]> | undefined;
  Object.assign(changes, {
    async rewrite(...given: Parameters<typeof rewrite>) {
      begun ??= Promise.allSettled([begin()]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return rewrite(...given);
    },
  });
  await other.trust.forget({ text: SECRET });
  const [ended] = (await begun) ?? [];
  if (ended === undefined) throw new Error("nothing was done meanwhile");
  return ended;
}

describe("what is forgotten meanwhile", () => {
  it("does not come back by restoring what a change left", async () => {
    const { workspace, memory, other } = await start();
    const [first] = await memory.history.list({ scope: "", file: "MEMORY.md" });
    const ended = await forgetMeanwhile(other, () => memory.trust.restore(first?.id ?? "", "user"));
    expect(ended).toMatchObject({ status: "fulfilled", value: { removed: ["likes tea"] } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("does not come back by accepting what waits; the rest of it is accepted", async () => {
    const { workspace, memory, other } = await start();
    const ended = await forgetMeanwhile(other, () =>
      memory.decide({ change: "change1", verdict: "accept", by: "user" }),
    );
    expect(ended).toMatchObject({ status: "fulfilled", value: { accepted: ["likes dogs"], left: 0 } });
    expect(await memory.readMemory()).toContain("- likes dogs");
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  it("does not come back in a file that steers the agent", async () => {
    const { workspace, memory, other, steering } = await start();
    expect(steering).not.toBe("");
    const ended = await forgetMeanwhile(other, () =>
      memory.decide({ change: steering, verdict: "accept", by: "user" }),
    );
    expect(ended).toMatchObject({ status: "rejected", reason: { code: "NOT_FOUND" } });
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });

  ofFolder("the lock is a file")("goes also if it comes back right before the records are erased", async () => {
    const { workspace, memory, other } = await start();
    const [first] = await memory.history.list({ scope: "", file: "MEMORY.md" });
    const lock = join(workspace, ".tidemark/locks/memory");
    const { changes } = other.opened;
    const scopes = changes.scopes.bind(changes);
    let restored = 0;
    Object.assign(changes, {
      async scopes() {
        if (!isLocked(lock) && (await memory.trust.restore(first?.id ?? "", "user")).kind === "restored") restored++;
        return scopes();
      },
    });
    await other.trust.forget({ text: SECRET });
    expect(restored).toBeGreaterThan(1);
    expect(await whereKept(workspace, SECRET)).toEqual([]);
  });
});

describe("a verdict", () => {
  it("names what it decides by its id, whatever was decided before it", async () => {
    const { memory } = await start();
    const [first, second] = (await memory.review()).find(({ change }) => change === "change1")?.items ?? [];
    const decide = (id = "") => memory.decide({ change: "change1", verdict: "accept", ids: [id], by: "user" });
    expect(await decide(first?.id)).toMatchObject({ accepted: [`${TOLD} with Rui`], left: 1 });
    await expect(decide(first?.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await decide(second?.id)).toMatchObject({ accepted: ["likes dogs"], left: 0 });
  });
});
