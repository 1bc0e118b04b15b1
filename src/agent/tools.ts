import type { Config } from "../config.ts";
import type { Tool } from "./tool.ts";
import { editFileTool } from "./tools/edit-file.ts";
import { execTool } from "./tools/exec.ts";
import { retireTool } from "./tools/retire.ts";
import { listDirTool } from "./tools/list-dir.ts";
import { memoryGetTool } from "./tools/memory-get.ts";
import { memorySearchTool } from "./tools/memory-search.ts";
import { readFileTool } from "./tools/read-file.ts";
import { rememberTool } from "./tools/remember.ts";
import { vectorSearchTool } from "./tools/vector-search.ts";
import { writeFileTool } from "./tools/write-file.ts";

const TOOLS: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  listDirTool,
  execTool,
  memorySearchTool,
  memoryGetTool,
  vectorSearchTool,
  rememberTool,
  retireTool,
];

/** The tools that an agent has, always in the same order: they are part of the prompt. */
export function listTools(config: Config): readonly Tool[] {
  return config.tools.exec.enabled ? TOOLS : TOOLS.filter((tool) => tool !== execTool);
}
