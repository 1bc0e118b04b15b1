// The child of the mayhem test: one of several that talk in one session, digest it, end it and forget at once.
import { openMemory } from "../../dist/index.js";

const [workspace, name, hours] = process.argv.slice(2);
const model = {
  id: "scripted/instant",
  async ask({ messages, tools }) {
    const text = JSON.stringify(messages);
    if (tools?.[0]?.name !== "save_memory") throw new Error("only digests are scripted");
    const shown = [...text.matchAll(/: say (\w+-\d+)\./g)].map(([, words]) => words);
    const [, memory] = /## Present memory\n([\s\S]*?)\n\n## Conversation/.exec(messages[0].content);
    const base = memory.trim() === "(empty)" ? "# Memory\n" : memory;
    const input = {
      history_entry: `[2026-11-15 09:00] covers ${shown.join(",")}.`,
      memory_update: `${base.trimEnd()}\n- Unit x${shown[0]}x began with number q${shown[0]}q\n`,
    };
    const calls = [{ id: "1", name: "save_memory", input: JSON.stringify(input) }];
    return { text: "", reasoning: "", finish: "tool-calls", usage: undefined, calls };
  },
};
// Clocks of several machines never agree, and some are wrong by years.
const now = () => new Date(Date.now() + Number(hours) * 3_600_000);
const config = {
  agents: { defaults: { memoryWindow: 8, memoryBudgetTokens: 100_000 } },
  tools: { sessionMemory: { enabled: false }, memoryFlush: { enabled: false } },
};
const memory = await openMemory({ workspace, model, now, config });
const session = await memory.session("cli:crash");
console.log("ready");
for (let number = 0; ; number++) {
  await session.append({ role: number % 2 === 0 ? "user" : "assistant", content: `say ${name}-${number}.` });
  console.log(`${name}-${number}`);
  try {
    if (number % 4 === 3) await memory.consolidate("cli:crash", { isTriggered: true });
    if (number % 13 === 12) await memory.startNew("cli:crash");
    if (number % 29 === 28) await memory.trust.forget({ text: "nobody ever said this" });
  } catch (error) {
    // Others may be stopped while they hold a lock.
    if (error.code !== "LOCK_TIMEOUT") throw error;
  }
}
