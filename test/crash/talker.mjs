// The child of the crash tests: talks, digests and starts anew without end; what is acknowledged goes to stdout.
import { openMemory } from "../../dist/index.js";

const [workspace, first] = process.argv.slice(2);
const numbers = (request) =>
  [...JSON.stringify(request.messages).matchAll(/: say (\d+)\./g)].map(([, number]) => Number(number));
const model = {
  id: "scripted/instant",
  async ask(request) {
    const shown = numbers(request);
    const [, memory] = /## Present memory\n([\s\S]*?)\n\n## Conversation/.exec(request.messages[0].content);
    const base = memory.trim() === "(empty)" ? "# Memory\n" : memory;
    const input = {
      history_entry: `[2026-11-15 09:00] covers ${shown.join(",")}.`,
      memory_update: `${base.trimEnd()}\n- Unit x${shown[0]}x began with number q${shown[0]}q\n`,
    };
    return {
      text: "",
      reasoning: "",
      finish: "tool-calls",
      usage: undefined,
      calls: [{ id: "1", name: "save_memory", input: JSON.stringify(input) }],
    };
  },
};
const memory = await openMemory({ workspace, model, config: { agents: { defaults: { memoryWindow: 8 } } } });
memory.on("notice", ({ text }) => console.error(text));
const session = await memory.session("cli:crash");
console.log("ready");
for (let number = Number(first); ; number++) {
  await session.append({ role: number % 2 === 0 ? "user" : "assistant", content: `say ${number}.` });
  console.log(String(number));
  if (number % 4 === 3) await memory.consolidate("cli:crash", { isTriggered: true });
  if (number % 23 === 22) await memory.startNew("cli:crash");
}
