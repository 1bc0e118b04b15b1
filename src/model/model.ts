/** A message on its way to a model, in the shape that sessions keep. */
export interface ModelMessage {
  role: "user" | "assistant" | "tool";
  content: string | readonly unknown[] | null;
  tool_calls?: readonly unknown[];
  tool_call_id?: string;
  name?: string;
  reasoning?: unknown;
  reasoning_content?: unknown;
}

/** A tool that the model may call; `parameters` is a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** One request. The blocks of the system prompt follow one another without a gap, most lasting first. */
export interface ModelRequest {
  system: readonly string[];
  messages: readonly ModelMessage[];
  tools?: readonly ToolDefinition[];
  toolChoice?: "auto" | { tool: string };
  maxTokens?: number;
  signal?: AbortSignal;
  /** Told each piece of text as it comes; the reply holds the whole of it all the same. */
  onText?: (delta: string) => void;
}

/** What a model asks for; `input` is the JSON text as it came, so that the caller decides what to make of it. */
export interface RequestedCall {
  id: string;
  name: string;
  input: string;
}

/** What came back. */
export interface ModelReply {
  text: string;
  reasoning: string;
  calls: readonly RequestedCall[];
  finish: "stop" | "length" | "tool-calls" | "other";
  usage: { inputTokens: number; outputTokens: number; cachedTokens: number } | undefined;
}

/** The one door to language models. */
export interface Model {
  /** `provider/model`, for the log and the spend. */
  readonly id: string;
  ask(request: ModelRequest): Promise<ModelReply>;
}
