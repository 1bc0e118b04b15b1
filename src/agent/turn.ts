import type { ModelReply } from "../model/model.ts";
import type { PromptRecord } from "../model/prompt-record.ts";
import type { MessageInput } from "../session/message.ts";
import type { Found } from "./source-of.ts";
import type { ToolResult } from "./tool.ts";

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
  | {
      kind: "failed";
      code: string;
      reason: string;
      /** What is on record that answers, where the model did not. */
      recalled?: string;
      notices: string[];
    }
  | { kind: "command"; command: string; text: string; isError: boolean; notices: string[] };

/** The answer to one request, and what is kept about the prompt that it answers. */
export interface Round {
  reply: ModelReply;
  prompt: PromptRecord;
}

/** What a turn keeps for the next one of its session. */
export interface TurnMemo {
  /** The bytes of the last request. */
  prompt?: Buffer;
  /** How much more than our count the provider's last one was. */
  scale: number;
}

/** Everything that the loop of a turn needs; it knows no files, no session and no provider. */
export interface TurnLoop {
  /** Who answers, for the record. */
  readonly model: string;
  readonly maxRounds: number;
  readonly signal: AbortSignal;
  /** What the user should know besides the answer. */
  readonly notices: string[];
  /** Sends what was said so far, and brings the answer. */
  ask(onText: (delta: string) => void): Promise<Round>;
  /** Stores what was said or found; returns when it is on the disk. */
  append(message: MessageInput): Promise<unknown>;
  /** Stores the answer to what was sent last; false, with nothing stored, if something of that was forgotten meanwhile. */
  appendAnswer(message: MessageInput): Promise<boolean>;
  /** How many messages there are. */
  length(): number;
  /** Runs a tool; `hasSaved` when it wrote to long-term memory. */
  run(name: string, input: string): Promise<ToolResult & { hasSaved: boolean }>;
  /** Gives the calls that were not run a result that says so. */
  completeCalls(text: string): Promise<unknown>;
}
