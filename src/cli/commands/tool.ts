import type { Command } from "commander";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `tool`. */
export function addToolCommand(program: Command): void {
  addWorkspaceOption(program.command("tool"))
    .description("run a tool as a model would and print the result; without a name, list the tools")
    .argument("[name]", "such as memory_search")
    .argument("[arguments]", 'as JSON, such as \'{"query": "tea"}\'; {} by default')
    .option("-s, --session <key>", "the session that calls it", "cli:main")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, given = "{}", options: Options, command: Command) => {
      const isList = name === undefined;
      await withMemory(command, { mayCreate: true, readOnly: isList }, async (memory) => {
        const { listTools } = await import("../../agent/tools.ts");
        const { toTool } = await import("../../agent/to-tool.ts");
        const { CLIENT_VERBS } = await import("../../door/verbs/verbs.ts");
        const known = new Map(
          [...CLIENT_VERBS.map(toTool), ...listTools(memory.config)].map((tool) => [tool.definition.name, tool]),
        );
        const definitions = [...known.values()].map(({ definition }) => definition);
        if (isList) {
          const lines = () => definitions.map((each) => `${each.name}  ${each.description}`).join("\n");
          printResult(options.json, { tools: definitions }, lines);
          return;
        }
        const tool = known.get(name);
        if (tool === undefined) command.error(`no such tool: ${name}; the tools are ${[...known.keys()].join(", ")}`);
        const session = options.session ?? "cli:main";
        const call = {
          memory,
          session,
          model: "user",
          signal: new AbortController().signal,
          noteSaved: () => undefined,
        };
        const result = await tool?.run(given, call);
        printResult(options.json, result, () => result?.text ?? "");
        if (result?.isError) process.exitCode = 1;
      });
    });
}

interface Options {
  session?: string;
  json?: boolean;
}
