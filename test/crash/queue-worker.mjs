// The child of the queue test: works the jobs that it finds, and says when there are none left.
import { openMemory } from "../../dist/index.js";

const [workspace] = process.argv.slice(2);
const reply = (name, input) => ({
  text: "",
  reasoning: "",
  finish: "tool-calls",
  usage: undefined,
  calls: [{ id: "1", name, input: JSON.stringify(input) }],
});
const model = {
  id: "scripted/instant",
  async ask({ tools, messages }) {
    const { content } = messages[0];
    const number = /harbour (\d+)\b/.exec(content.split("## Conversation").at(-1))?.[1];
    if (tools[0].name === "create_session_memory") {
      return reply("create_session_memory", { slug: "same-slug", summary: `Note of harbour ${number}.` });
    }
    const [, shown] = /## Present memory\n([\s\S]*?)\n\n## Conversation/.exec(content);
    const base = shown.trim() === "(empty)" ? "# Memory\n" : shown;
    return reply("save_memory", {
      history_entry: `[2026-11-15 09:00] Digest of harbour ${number}.`,
      memory_update: `${base.trimEnd()}\n- Code x${number}x opens harbour q${number}q\n`,
    });
  },
};
const memory = await openMemory({ workspace, model, config: { agents: { defaults: { timezone: "UTC" } } } });
memory.on("notice", ({ text }) => console.error(text));
memory.on("job", ({ name }) => console.log(name));
console.log("ready");
for (;;) {
  await memory.settle({ retries: 1 });
  if ((await memory.queue.listJobs()).length === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log("empty");
await memory.close();
