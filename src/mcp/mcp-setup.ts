import type { McpServer } from "@modelcontextprotocol/server";
import type { Memory } from "../memory.ts";

/** What the tools and resources of the MCP server work with. */
export interface McpSetup {
  memory: Memory;
  /** The session that is meant where a client names none. */
  session: string;
  /** What one result may take of the client's context. */
  maxTokens: number;
  version: string;
  /** Whether the client may only read. */
  isReadOnly?: boolean | undefined;
  /** Adds what a program serves besides. */
  addMore?: ((server: McpServer) => void) | undefined;
}

/** Results stay below this where nothing else is said; clients cut or refuse much longer ones. */
export const DEFAULT_MAX_TOKENS = 4000;
