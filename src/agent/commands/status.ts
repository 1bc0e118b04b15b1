import { parseFacts } from "../../change/read-outline.ts";
import { summarizePrompts } from "../../model/prompt-record.ts";
import type { Command } from "../command.ts";
import { countOf } from "../../language/count-of.ts";

/** /status tells where things stand. */
export const statusCommand: Command = {
  name: "status",
  summary: "shows the state of this conversation and its memory",
  async run(_, { memory, session: key }) {
    const session = await memory.session(key);
    const { chatModel, spending, queue } = memory;
    const waiting = session.length - session.cursor;
    const prompts = summarizePrompts(session.messages(session.cursor));
    const spent = (await spending.today()).reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0);
    const jobs = (await queue.listJobs()).length;
    const facts = parseFacts(await memory.readMemory(key)).length;
    const rows: [string, string][] = [
      ["Session", `${key}, ${countOf(session.length, "message")}: ${session.cursor} digested, ${waiting} not yet`],
      ["Model", chatModel?.id ?? "none (answers come from memory)"],
      ["Memory", countOf(facts, "fact")],
      ...(jobs > 0 ? [["Background", `${countOf(jobs, "job")} to do`] satisfies [string, string]] : []),
      ["Workspace", memory.workspace],
    ];
    if (prompts.share !== undefined) {
      const cached =
        prompts.cachedTokens > 0 ? `, ${prompts.cachedTokens} of ${prompts.inputTokens} tokens cached` : "";
      rows.push([
        "Prompt",
        `${(prompts.share * 100).toFixed(1)} % stable over ${countOf(prompts.requests, "request")}${cached}`,
      ]);
    }
    if (spent > 0) rows.push(["Today", countOf(spent, "token")]);
    return rows.map(([name, value]) => `${name.padEnd(10)} ${value}`).join("\n");
  },
};
