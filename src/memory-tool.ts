export { createMemoryTool } from "./memory-tool/create-memory-tool.ts";
export type { MemoryTool, MemoryToolKit } from "./memory-tool/create-memory-tool.ts";
