// The child of the mayhem test: one of several that talk in one session, digest it, remember, end it and forget at once.
// What is acknowledged goes to stdout: what was said, "fact …" for what is remembered, "forgot …" for what is gone.
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
// Clocks of several machines never agree, some are wrong by years, and all of them jump now and then.
let jumped = 0;
const now = () => {
  if (Math.random() < 0.01) jumped = (Math.random() - 0.5) * 120_000;
  return new Date(Date.now() + Number(hours) * 3_600_000 + jumped);
};
const config = {
  agents: { defaults: { memoryWindow: 8, memoryBudgetTokens: 1_000_000, contextWindowTokens: 4_000_000 } },
  tools: { sessionMemory: { enabled: false }, memoryFlush: { enabled: false } },
};
const memory = await openMemory({ workspace, model, now, config });
const session = await memory.session("cli:crash");
console.log("ready");
for (let number = 0; ; number++) {
  const words = `${name}-${number}`;
  const isSecret = number % 17 === 16;
  await session.append({ role: number % 2 === 0 ? "user" : "assistant", content: `say ${words}.` });
  console.log(words);
  try {
    if (number % 3 === 2) {
      const { kind } = await memory.remember("cli:crash", { fact: `Thing w${words}w was remembered`, by: "test" });
      if (kind === "saved") console.log(`fact w${words}w`);
    }
    if (number % 4 === 3) await memory.consolidate("cli:crash", { isTriggered: true });
    if (number % 13 === 12) await memory.startNew("cli:crash");
    if (isSecret) {
      const secret = `hush${name}n${number}`;
      await memory.remember("cli:crash", { fact: `The word is ${secret}`, by: "test" });
      const { kind } = await memory.trust.forget({ text: secret });
      if (kind === "forgotten") console.log(`forgot ${secret}`);
    }
  } catch (error) {
    // Others may be stopped while they hold a lock.
    if (error.code !== "LOCK_TIMEOUT") throw error;
  }
}
