// The child of the mayhem test: one of several that talk in one session, digest it, remember, undo, tidy, import, end
// it and forget at once. It is started ahead, and begins when a line tells it where. On stdout: "doing …" before each
// thing, and afterwards what is acknowledged by it.
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openMemory } from "../../dist/index.js";
import { createRandom } from "./random.ts";

const tell = (line) => void writeSync(1, `${line}\n`);
tell("waiting");
const [line] = await once(createInterface({ input: process.stdin }), "line");
const order = JSON.parse(line);
process.stdin.destroy();
const { workspace, name, hours } = order;
const random = createRandom(order.seed);
const model = {
  id: "scripted/instant",
  async ask({ messages, tools }) {
    const text = JSON.stringify(messages);
    if (tools?.[0]?.name !== "save_memory") throw new Error("only digests are scripted");
    const shown = [...text.matchAll(/: say (\w+-\d+)\./g)].map(([, words]) => words);
    const [, memory] = /## Present memory\n([\s\S]*?)\n\n## Conversation/.exec(messages[0].content);
    const base = memory.trim() === "(empty)" ? "# Memory\n" : memory;
    // It tells again what it was shown: whoever forgets meanwhile must not find it in the diary or among the facts.
    const [, secret] = /: The word is (hush\w+)\./.exec(text) ?? [];
    const told = secret === undefined ? "" : ` Someone said ${secret}.`;
    const fact = secret === undefined ? "" : `- Someone said ${secret}\n`;
    const input = {
      history_entry: `[2026-11-15 09:00] covers ${shown.join(",")}.${told}`,
      memory_update: `${base.trimEnd()}\n- Unit x${shown[0]}x began with number q${shown[0]}q\n${fact}`,
    };
    const calls = [{ id: "1", name: "save_memory", input: JSON.stringify(input) }];
    return { text: "", reasoning: "", finish: "tool-calls", usage: undefined, calls };
  },
};
// Clocks of several machines never agree, some are wrong by years, and all of them jump now and then.
let jumped = 0;
const now = () => {
  if (random() < 0.01) jumped = (random() - 0.5) * 120_000;
  return new Date(Date.now() + hours * 3_600_000 + jumped);
};
const config = {
  agents: { defaults: { memoryWindow: 8, memoryBudgetTokens: 1_000_000, contextWindowTokens: 4_000_000 } },
  tools: { sessionMemory: { enabled: false }, memoryFlush: { enabled: false } },
};
tell("doing open");
const memory = await openMemory({ workspace, model, now, config });
const session = await memory.session("cli:crash");

const THINGS = {
  async remember(words) {
    const { kind } = await memory.remember("cli:crash", { fact: `Thing w${words}w was remembered`, by: "test" });
    if (kind === "saved") tell(`fact w${words}w`);
  },
  digest: () => memory.consolidate("cli:crash", { isTriggered: true }),
  new: () => memory.startNew("cli:crash"),
  tidy: () => memory.tidy(),
  async undo(words) {
    const { kind } = await memory.remember("cli:crash", { fact: `Thing u${words}u was remembered`, by: "test" });
    const revision = kind === "saved" ? await findRevision(`u${words}u`) : undefined;
    if (revision === undefined) return;
    const outcome = await memory.undo({ id: String(revision), by: "test" });
    if (outcome.kind === "undone") tell(`undone u${words}u`);
  },
  async import() {
    // Whoever imports within the same two seconds brings the same messages.
    const batch = `i${Math.floor(Date.now() / 2000) % 1_000_000}`;
    const messages = Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `say ${batch}-${index}.`,
      id: `${batch}-${index}`,
    }));
    const imported = await memory.session("cli:import");
    await imported.appendNew(messages);
    for (const { id } of messages) tell(`said ${id}`);
  },
  async forget(words) {
    const secret = `hush${words.replace("-", "n")}z`;
    await session.append({ role: "user", content: `The word is ${secret}.` });
    await memory.remember("cli:crash", { fact: `The word is ${secret}`, by: "test" });
    if (random() < 0.3) await memory.consolidate("cli:crash", { all: true });
    const { kind } = await memory.trust.forget({ text: secret });
    if (kind === "forgotten") tell(`forgot ${secret}`);
  },
};
// How often each is done; the first is what is done most.
const WEIGHTS = { remember: 30, digest: 25, undo: 8, new: 7, import: 7, tidy: 5, forget: 4, nothing: 14 };
const ALL = Object.entries(WEIGHTS).flatMap(([thing, weight]) => Array.from({ length: weight }, () => thing));

for (let number = 0; ; number++) {
  const words = `${name}-${number}`;
  tell("doing say");
  await session.append({ role: number % 2 === 0 ? "user" : "assistant", content: `say ${words}.` });
  tell(`said ${words}`);
  // Who came to forget does so first: it takes longer than most lives.
  const thing = number === 0 && order.isForgetter ? "forget" : ALL[Math.floor(random() * ALL.length)];
  if (thing === "nothing") continue;
  tell(`doing ${thing}`);
  try {
    await THINGS[thing](words);
  } catch (error) {
    // Others may be stopped while they hold a lock.
    if (error.code !== "LOCK_TIMEOUT") throw error;
  }
}

/** The change that brought a word. */
async function findRevision(word) {
  for (const { id } of (await memory.history.list({ scope: "", file: "MEMORY.md", last: 20 })).toReversed()) {
    const { before, text } = (await memory.history.textsOf(id)) ?? {};
    if (text?.includes(word) && !before?.includes(word)) return id;
  }
  return undefined;
}
