export { memoryTools } from "./ai-sdk/memory-tools.ts";
export type { MemoryTool } from "./ai-sdk/memory-tools.ts";
export type { MemorySource, OpenSource, WorkspaceSource } from "./ai-sdk/memory-source.ts";
export { withMemory } from "./ai-sdk/with-memory.ts";
export type { AnyModel, ModelWithMemory, Remembering } from "./ai-sdk/with-memory.ts";
