import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openMemory } from "../../src/index.ts";
import type { Memory, MemoryOptions } from "../../src/index.ts";
import { MONTH } from "./month.ts";
import type { Line, Step } from "./month.ts";
import { drawShore } from "./picture.ts";
import { createScriptedModel } from "./scripted-model.ts";

const DAY_MS = 86_400_000;
const MODEL = "scripted/tide-1";
const CONFIG = {
  agents: { defaults: { timezone: "Europe/Lisbon" } },
  spend: { prices: { [MODEL]: { input: 3, output: 15, cached: 0.3 } } },
};
// So small that a talk of three messages comes near it.
const FLUSHING = { agents: { defaults: { timezone: "Europe/Lisbon", contextWindowTokens: 2400, maxTokens: 700 } } };
const GUIDE = `# Field guide

## Stations

D7 lies behind the second groyne; park at the chapel. D9 is only reached at spring tides.

## Safety

Nobody works alone below the mark of half tide. The horn is blown one hour before the flood.
`;

/** Fills a workspace with the month, through the public API: what is shown of it has really happened. */
export async function makeMonth(workspace: string, end: Date): Promise<void> {
  let now = end;
  const played = createScriptedModel(MODEL);
  const model = played.model as NonNullable<MemoryOptions["model"]>;
  const open = (config: MemoryOptions["config"]) =>
    openMemory({ workspace, model, now: () => now, config: { ...CONFIG, ...config } });
  await mkdir(join(workspace, "docs", "survey"), { recursive: true });
  await writeFile(join(workspace, "docs", "survey", "field-guide.md"), GUIDE);
  for (const step of MONTH) {
    const day = new Date(end.getTime() - step.daysAgo * DAY_MS);
    day.setUTCHours(step.hour, 12, 0, 0);
    now = day > end ? end : day;
    const memory = await open(step.kind === "flush" ? FLUSHING : {});
    const tick = () => (now = new Date(now.getTime() + 40_000));
    played.script = scriptOf(step);
    await play(memory, step, workspace, tick);
    await memory.close();
  }
  const memory = await open({});
  await memory.index();
  await memory.close();
  await writeFile(join(workspace, "config.json"), JSON.stringify(CONFIG, undefined, 2));
}

function scriptOf(step: Step) {
  if (step.kind === "talk") return { brought: step.brought, fails: step.fails };
  if (step.kind === "new")
    return { brought: step.brought, note: { slug: step.slug, summary: step.summary }, fails: step.fails };
  return step.kind === "flush" ? { bullets: step.bullets } : {};
}

async function play(memory: Memory, step: Step, workspace: string, tick: () => Date): Promise<void> {
  if (step.kind === "talk" || step.kind === "flush") {
    await say(memory, step.session, step.lines, tick);
    if (step.kind === "talk" && (step.brought ?? step.fails)) await memory.consolidate(step.session, { all: true });
    if (step.kind === "flush") await memory.settle();
  }
  if (step.kind === "new") {
    await memory.startNew(step.session);
    // A provider that is down: what was begun goes on waiting, and says why.
    if (step.fails === undefined) await memory.settle();
    else await memory.settle({ retries: 0 });
  }
  if (step.kind === "remember")
    await memory.remember(step.session, { fact: step.fact, heading: step.heading, by: "user" });
  if (step.kind === "undo") await memory.undo({ by: "user" });
  if (step.kind === "accept") {
    const [proposal] = await memory.review();
    if (proposal) await memory.decide({ change: proposal.change, verdict: "accept", items: [1], by: "user" });
  }
  if (step.kind === "editor") {
    const path = join(workspace, "memory", "MEMORY.md");
    await writeFile(path, (await readFile(path, "utf8")).replace(step.before, step.after));
    await memory.trust.log({ limit: 1 });
  }
}

let asked = 0;

async function say(memory: Memory, key: string, lines: readonly Line[], tick: () => Date): Promise<void> {
  const session = await memory.session(key);
  for (const line of lines) {
    tick();
    const [kind, first, input, result] = line;
    if (kind === "picture") {
      const picture = { type: "image_url", image_url: { url: drawShore() } };
      await session.append({ role: "user", content: [{ type: "text", text: first }, picture] });
      continue;
    }
    if (kind === "call") {
      const id = `call_${asked++}`;
      const call = { id, type: "function", function: { name: first, arguments: JSON.stringify(input) } };
      await session.appendAll([
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: id, name: first, content: result ?? "" },
      ]);
      continue;
    }
    const bytes = 5200 + 180 * asked++;
    const prompt = {
      bytes,
      stable: bytes - 420,
      previous: bytes - 180,
      digest: `demo${asked}`,
      input_tokens: 1400,
      cached_tokens: 1210,
    };
    await session.append({ role: kind, content: first, ...(kind === "assistant" ? { prompt } : {}) });
  }
}
