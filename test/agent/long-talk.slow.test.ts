import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { summarizePrompts } from "../../src/model/prompt-record.ts";
import { startAgent } from "../support/agent.ts";
import { saveMemory } from "../support/model-server.ts";
import type { Reply, WireRequest } from "../support/model-server.ts";
import { findIllegal } from "../support/strict-provider.ts";

const TURNS = 200;
const SESSION = "cli:main";

const isChat = (request: WireRequest) => request.tools?.some((tool) => tool.function.name === "read_file") ?? false;
const bodyOf = (request: WireRequest) => request.messages.filter(({ role }) => role !== "system");
/** A request without its closing bracket, so that a longer one can begin with it. */
const wireOf = (request: WireRequest) => JSON.stringify(request.messages).slice(0, -1);

/** Every third turn uses tools: one, two at once, or two rounds of them; some fail. */
function answer(request: WireRequest): Reply {
  const body = bodyOf(request);
  const last = body.at(-1)!;
  const asked = body.findLast(({ role }) => role === "user")!;
  const turn = Number(/turn number (\d+)/.exec(JSON.stringify(asked.content))?.[1]);
  const rounds = body.slice(body.lastIndexOf(asked)).filter(({ role }) => role === "assistant").length;
  if (turn % 3 === 0 && rounds === 0) {
    return turn % 2 === 0
      ? {
          calls: [
            { name: "list_dir", arguments: {} },
            { name: "read_file", arguments: { path: "../no" } },
          ],
          text: "Looking. ",
        }
      : { call: "exec", arguments: { command: "ls memory" } };
  }
  if (turn % 9 === 0 && rounds === 1)
    return { call: "remember", arguments: { fact: `Fact ${turn} about pier ${turn}` } };
  expect(last.role === "user" || last.role === "tool").toBe(true);
  return {
    text: `This is the answer of turn ${turn}.`,
    usage: { prompt_tokens: Math.ceil(wireOf(request).length / 4), completion_tokens: 12 },
  };
}

it(
  "talks for 200 turns with tools: every request is legal, stable within a cycle, and nothing is lost",
  { timeout: 120_000 },
  async () => {
    let digests = 0;
    const chats: { request: WireRequest; cursor: number }[] = [];
    const { agent, memory, workspace } = await startAgent(async (request) => {
      if (!isChat(request)) {
        digests++;
        const current = await memory.readMemory();
        return saveMemory(
          `${current.trimEnd()}\n- Digest ${digests} was made\n`,
          `[2026-11-15 09:00] Digest number ${digests}.`,
        );
      }
      chats.push({ request, cursor: (await memory.session(SESSION)).cursor });
      return answer(request);
    });
    for (let turn = 1; turn <= TURNS; turn++) {
      const result = await agent.turn(SESSION, `This is turn number ${turn}, about pier ${turn}.`);
      expect(result).toMatchObject({ kind: "answer", text: `This is the answer of turn ${turn}.` });
      // Now and then it is quiet long enough for the background to look; else it catches up by itself.
      if (turn % 20 === 0) await memory.settle();
    }
    await memory.settle();
    expect(digests).toBeGreaterThanOrEqual(3);

    let cycles = 0;
    for (const [index, { request, cursor }] of chats.entries()) {
      expect(findIllegal(bodyOf(request)), `request ${index}`).toBeUndefined();
      expect(request.messages[0]?.role).toBe("system");
      const before = chats[index - 1];
      if (!before) continue;
      if (before.cursor === cursor)
        expect(wireOf(request).startsWith(wireOf(before.request)), `request ${index}`).toBe(true);
      else cycles++;
    }
    expect(cycles).toBeGreaterThanOrEqual(3);

    const session = await memory.session(SESSION);
    const said = session.messages();
    for (let turn = 1; turn <= TURNS; turn++) {
      const ofTurn = said.filter(({ content }) => new RegExp(`turn (?:number )?${turn}\\b`).test(String(content)));
      expect(ofTurn.map(({ role }) => role)).toEqual(["user", "assistant"]);
    }
    const kept = await memory.readMemory();
    for (let turn = 9; turn <= TURNS; turn += 9) expect(kept).toContain(`- Fact ${turn} about pier ${turn}\n`);
    const diary = readFileSync(join(workspace, "memory/HISTORY.md"), "utf8");
    expect(diary.match(/Digest number \d+\./g)).toHaveLength(digests);
    // Only where a cycle ended was anything sent again that a cache did not have.
    expect(summarizePrompts(said).share).toBeGreaterThan(0.95);
  },
);
