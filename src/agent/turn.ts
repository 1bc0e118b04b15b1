import type { Found } from "./source-of.ts";

/** What is told while a turn runs. */
export interface TurnOptions {
  onText?: ((delta: string) => void) | undefined;
  onTool?: ((event: ToolEvent) => void) | undefined;
  /** Stops the turn; what was said until then is kept. */
  signal?: AbortSignal | undefined;
}

/** A tool that begins or has ended. */
export type ToolEvent =
  | { phase: "begin"; id: string; name: string; input: string }
  | { phase: "end"; id: string; name: string; text: string; isError: boolean };

/** What came of a turn. Everything in `notices` is for the user, and is not part of what was said. */
export type TurnResult =
  | { kind: "answer"; text: string; model: string; rounds: number; notices: string[] }
  | { kind: "recalled"; text: string; found: Found["results"]; notices: string[] }
  | { kind: "stopped"; text: string; notices: string[] }
  | { kind: "failed"; code: string; reason: string; notices: string[] }
  | { kind: "command"; command: string; text: string; isError: boolean; notices: string[] };
