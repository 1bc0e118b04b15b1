// The child of the write-fault test: one conversation, one digest, one /new; what is acknowledged goes to stdout.
import { openMemory } from "../../dist/index.js";

const [workspace] = process.argv.slice(2);
const model = {
  id: "scripted/instant",
  async ask(request) {
    const shown = [...request.messages[0].content.matchAll(/: say (\d+)\./g)].map(([, number]) => number);
    const input = {
      history_entry: `[2026-11-15 09:00] covers ${shown.join(",")}.`,
      memory_update: `# Memory\n\n- Unit x${shown[0]}x began with number q${shown[0]}q\n`,
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
try {
  const memory = await openMemory({ workspace, model });
  memory.on("notice", ({ text }) => console.error(`notice: ${text}`));
  const session = await memory.session("cli:a");
  for (let number = session.length; number < 6; number++) {
    await session.append({ role: number % 2 === 0 ? "user" : "assistant", content: `say ${number}.` });
    console.log(`said ${number}`);
  }
  const outcome = await memory.consolidate("cli:a", { all: true });
  console.log(outcome.kind);
  await memory.close();
} catch (error) {
  console.error(`failed: ${error.name}: ${error.message}`);
  process.exitCode = 1;
}
