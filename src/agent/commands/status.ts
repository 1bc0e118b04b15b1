import { parseFacts } from "../../change/read-outline.ts";
import { summarizePrompts } from "../../model/prompt-bytes.ts";
import type { Command } from "../command.ts";

/** /status tells where things stand. */
export const statusCommand: Command = {
  name: "status",
  summary: "tells where this conversation and its memory stand",
  async run(_, { memory, session: key }) {
    const session = await memory.session(key);
    const { chatModel, spending, state } = memory;
    const prompts = summarizePrompts(session.messages(session.cursor));
    const spent = (await spending.today()).reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0);
    const jobs = (await state.listJobs()).length;
    const facts = parseFacts(await memory.readMemory(key)).length;
    const rows: [string, string][] = [
      ["Session", `${key}, ${session.length} messages, ${session.cursor} digested`],
      ["Model", chatModel?.id ?? "none (answers come from memory)"],
      [
        "Memory",
        `${facts} ${facts === 1 ? "fact" : "facts"}; ${jobs === 0 ? "nothing waits to be digested" : `${jobs} background jobs wait`}`,
      ],
      ["Workspace", memory.workspace],
    ];
    if (prompts.share !== undefined) {
      const cached =
        prompts.cachedTokens > 0 ? `, ${prompts.cachedTokens} of ${prompts.inputTokens} tokens cached` : "";
      rows.push(["Prompt", `${(prompts.share * 100).toFixed(1)} % stable over ${prompts.requests} requests${cached}`]);
    }
    if (spent > 0) rows.push(["Today", `${spent} tokens`]);
    return rows.map(([name, value]) => `${name.padEnd(10)} ${value}`).join("\n");
  },
};
