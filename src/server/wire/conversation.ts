/** Words. */
export interface TextPart {
  type: "text";
  text: string;
}

/** A picture: an address (also a data URL), or a file that the provider keeps. */
export interface ImagePart {
  type: "image";
  url?: string | undefined;
  fileId?: string | undefined;
  detail?: string | undefined;
}

/** A document, given like a picture. */
export interface FilePart {
  type: "file";
  url?: string | undefined;
  fileId?: string | undefined;
  name?: string | undefined;
}

/** A recording. */
export interface AudioPart {
  type: "audio";
  data: string;
  format: string;
}

/** What a user or a tool hands in. */
export type Part = TextPart | ImagePart | FilePart | AudioPart;

/** What a model thought. What a provider seals of it goes back to it as it came; thoughts that are only sealed have no text. */
export interface ReasoningPart {
  type: "reasoning";
  text: string;
  signature?: string | undefined;
}

/** A tool that the model asks for; `arguments` is JSON text, or any text for a tool that takes one (`isCustom`). */
export interface CallPart {
  type: "call";
  id: string;
  name: string;
  arguments: string;
  isCustom?: true | undefined;
}

/** Why a model does not answer. */
export interface RefusalPart {
  type: "refusal";
  text: string;
}

/** What a model says. */
export type SaidPart = TextPart | ReasoningPart | CallPart | RefusalPart;

/** One turn of a conversation. */
export type Turn =
  | { role: "system"; parts: TextPart[] }
  | { role: "user"; parts: Part[]; name?: string | undefined; origin?: "untrusted" | undefined }
  | { role: "assistant"; parts: SaidPart[]; origin?: "untrusted" | undefined }
  | ToolTurn;

/** What a tool returned. */
export interface ToolTurn {
  role: "tool";
  callId: string;
  name?: string | undefined;
  /** Set where the client says that it came from outside. */
  origin?: "untrusted" | undefined;
  parts: Part[];
  isError?: true | undefined;
  isCustom?: true | undefined;
}

/** A tool that may be called. */
export interface Tool {
  name: string;
  description?: string | undefined;
  /** A JSON schema; absent for a tool that takes any text. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
  isStrict?: boolean | undefined;
  isCustom?: true | undefined;
  /** Where the client knows it as a part of a group: both names. Inside it has one. */
  grouped?: { group: string; name: string } | undefined;
}

/** Which tool must be called. */
export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** The form that an answer must have. */
export type AnswerFormat =
  | { type: "json_object" }
  | { type: "json_schema"; name: string; schema: unknown; isStrict?: boolean | undefined };

/** A request for an answer, whichever wire it came over. */
export interface Conversation {
  model?: string | undefined;
  turns: Turn[];
  tools: Tool[];
  toolChoice?: ToolChoice | undefined;
  isParallel?: boolean | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  stop?: string[] | undefined;
  effort?: string | undefined;
  format?: AnswerFormat | undefined;
  isStreamed: boolean;
}

/** Why an answer ended. */
export type Finish = "stop" | "length" | "tool_calls" | "content_filter" | "stop_sequence";

/** What a provider counted; `inputTokens` holds the cached ones, too. */
export interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
}

/** A whole answer. */
export interface Answer {
  id?: string | undefined;
  parts: SaidPart[];
  finish: Finish;
  stopSequence?: string | undefined;
  usage: AnswerUsage | undefined;
  /** The ids under which clients of responses refer to what it holds. */
  itemIds?: string[] | undefined;
  /** Set where the provider looked something up by itself: what it says then is no one's word. */
  isLookedUp?: true | undefined;
}

/** A failure, as any wire can tell it. */
export interface Failure {
  status: number;
  message: string;
  code: string | null;
  param?: string | null | undefined;
}

/** A piece of an answer that is on its way. Calls are numbered in the order in which they begin. */
export type AnswerEvent =
  | { type: "start"; id?: string | undefined }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "refusal"; text: string }
  | { type: "signature"; signature: string }
  | { type: "call"; index: number; id: string; name: string; isCustom?: true | undefined }
  | { type: "arguments"; index: number; text: string }
  | { type: "finish"; finish: Finish; stopSequence?: string | undefined; itemIds?: string[] | undefined }
  | { type: "usage"; usage: AnswerUsage }
  | { type: "failure"; failure: Failure };

/** Turns with the instructions before the first words as one turn: wires differ in how many messages they take for them. */
export function joinInstructions(turns: readonly Turn[]): Turn[] {
  const end = turns.findIndex(({ role }) => role !== "system");
  const lead = turns
    .slice(0, end < 0 ? turns.length : end)
    .flatMap((turn) => (turn.role === "system" ? turn.parts : []));
  const rest = turns.slice(end < 0 ? turns.length : end);
  return lead.length > 0 ? [{ role: "system", parts: lead }, ...rest] : rest;
}

/** Turns that hold more than instructions: where nothing else is said, the last of them are the user's words. */
export function withWords(turns: readonly Turn[]): readonly Turn[] {
  const [last] = turns.slice(-1);
  if (last?.role !== "system" || turns.some(({ role }) => role !== "system")) return turns;
  const own = last.parts.at(-1);
  const lead = last.parts.slice(0, -1);
  if (own === undefined) return turns;
  return [...(lead.length > 0 ? [{ role: "system", parts: lead } as const] : []), { role: "user", parts: [own] }];
}

/** The words of some parts, joined as sessions join them. */
export function wordsOf(parts: readonly { type: string; text?: string }[]): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []))
    .filter((text) => text !== "")
    .join("\n");
}
