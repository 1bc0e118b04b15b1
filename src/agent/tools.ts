import type { Config } from "../config.ts";
import { AGENT_VERBS } from "../door/verbs/verbs.ts";
import type { Tool } from "./tool.ts";
import { editFileTool } from "./tools/edit-file.ts";
import { execTool } from "./tools/exec.ts";
import { listDirTool } from "./tools/list-dir.ts";
import { readFileTool } from "./tools/read-file.ts";
import { writeFileTool } from "./tools/write-file.ts";
import { toTool } from "./to-tool.ts";

const TOOLS: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  listDirTool,
  execTool,
  ...AGENT_VERBS.map(toTool),
];

/** The tools that an agent has, always in the same order: they are part of the prompt. */
export function listTools(config: Config): readonly Tool[] {
  return config.tools.exec.enabled ? TOOLS : TOOLS.filter((tool) => tool !== execTool);
}
