import { onTestFinished } from "vitest";
import { openAgent } from "../../src/agent/open-agent.ts";
import type { Agent } from "../../src/agent/open-agent.ts";
import type { ToolCall } from "../../src/agent/tool.ts";
import { listTools } from "../../src/agent/tools.ts";
import type { Memory } from "../../src/index.ts";
import type { MemoryOptions } from "../../src/index.ts";
import { startModel } from "./model-server.ts";
import type { ModelServer, Script } from "./model-server.ts";
import { open } from "./talk.ts";
import { temporaryFolder } from "./workspace.ts";

/** An agent over a scripted model, in a folder of its own. */
export async function startAgent(
  script: Script,
  options: { workspace?: string; config?: Record<string, unknown>; now?: () => Date } = {},
): Promise<{ agent: Agent; memory: Memory; model: ModelServer; workspace: string }> {
  const model = await startModel(script);
  const workspace = options.workspace ?? temporaryFolder();
  const given = (options.config ?? {}) as { agents?: { defaults?: object } };
  const config = {
    ...given,
    providers: model.config.providers,
    agents: { defaults: { ...model.config.agents.defaults, ...given.agents?.defaults } },
  };
  const settings: MemoryOptions = { workspace, config, ...(options.now ? { now: options.now } : {}) };
  const memory = await open(settings);
  const agent = openAgent(memory);
  onTestFinished(() => agent.close());
  return { agent, memory, model, workspace };
}

/** Runs one tool as the loop would. */
export async function callTool(memory: Memory, name: string, input: unknown, world: Partial<ToolCall> = {}) {
  const tool = listTools(memory.config).find(({ definition }) => definition.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(JSON.stringify(input), {
    memory,
    session: "cli:main",
    model: "test/model",
    signal: new AbortController().signal,
    noteSaved: () => undefined,
    ...world,
  });
}
