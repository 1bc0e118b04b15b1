import type { ConfigFormat } from "./config-format.ts";

/** How a client starts a program. */
export interface Launch {
  command: string;
  args: readonly string[];
}

/** A file by system; `{home}` and the like stand for folders, see `places.ts`. One text is the same everywhere. */
export type Place = string | { linux: readonly string[]; darwin: readonly string[]; win32: readonly string[] };

/** Where a client keeps its MCP servers, and what one looks like there. */
export interface McpSettings {
  format: ConfigFormat;
  /** The keys that lead to the servers. */
  at: readonly string[];
  /** Servers are a list with names in it, not a table by name. */
  isList?: boolean;
  entry: (launch: Launch) => Record<string, unknown>;
  user: Place;
  project?: Place;
  /** What a file must say besides, where there was none. */
  fresh?: Readonly<Record<string, string>>;
}

/** Where a client keeps what it runs by itself, and what that looks like there. */
export type HookSettings =
  | {
      kind: "commands";
      format: ConfigFormat;
      user: Place;
      project?: Place;
      events: readonly string[];
      /** How long a hook may take, in the unit of the client. */
      timeout: number;
    }
  | { kind: "plugin-list"; format: ConfigFormat; user: Place; project?: Place; at: readonly string[]; plugin: string }
  | { kind: "memory-slot"; format: ConfigFormat; user: Place; plugin: string };

/** A program that people use, and how it is connected. */
export interface Client {
  name: string;
  title: string;
  /** What it is called on the command line. */
  command?: string;
  /** What shows that it was used here, besides its command and its files. */
  traces?: readonly Place[];
  /** Started from the desktop, without the PATH of a shell. */
  isDesktop?: boolean;
  mcp: McpSettings;
  hooks?: HookSettings;
  /** What to do after connecting. */
  next: string;
  /** The same, for its hooks. */
  nextHooks?: string;
}
