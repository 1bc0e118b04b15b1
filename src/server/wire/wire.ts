import type { CallerKey } from "../caller-key.ts";
import type { Answer, AnswerEvent, Conversation, Failure } from "./conversation.ts";

/** The three wires that clients and providers speak. */
export type WireName = "chat" | "responses" | "messages";

/** A server-sent event. */
export interface SentEvent {
  name: string | undefined;
  data: string;
}

/** Adds to a request what a model is to know; the rest of the request stays as it came. */
export interface Addition {
  /** For the system prompt. */
  section: string;
  /** For the newest message. */
  recalled: string | undefined;
}

/** Translates between one wire and the conversation inside. */
export interface Wire {
  readonly name: WireName;
  /** Behind the base URL of a provider. */
  readonly path: string;
  /** What the ids of its answers begin with. */
  readonly idPrefix: string;
  /** Whether answers are kept, and clients refer to them and to what they hold by their ids. */
  readonly keepsAnswers: boolean;
  /** Whether an answer may tell of a failure within, which is then no failure of the request. */
  readonly tellsFailures: boolean;
  /** The headers that carry a key; `given` is the header that a client of this wire sent it in. */
  keyHeaders(key: string | undefined, given?: CallerKey["header"]): Record<string, string>;
  /** What a request asks for that no other wire can answer; undefined where all can be translated, or left out without harm. */
  findUntranslatable(body: unknown): Untranslatable | undefined;
  /** Reads a client's request; throws a ZodError for what is no such request. */
  readRequest(body: unknown): Conversation;
  /** A request for a provider. Throws a MemoryError for what this wire cannot carry. */
  writeRequest(conversation: Conversation): Record<string, unknown>;
  addMemory(body: Readonly<Record<string, unknown>>, addition: Addition): Record<string, unknown>;
  /** Reads a provider's answer; undefined for what is none. */
  readAnswer(body: unknown): Answer | undefined;
  writeAnswer(answer: Answer, request: AnswerContext): unknown;
  readFailure(body: unknown): Omit<Failure, "status"> | undefined;
  writeFailure(failure: Failure): unknown;
  /** A reader of one stream. */
  createReader(): (event: SentEvent) => AnswerEvent[];
  /** A writer of one stream: the text to send for each piece, and what ends it. */
  createWriter(request: AnswerContext): StreamWriter;
}

/** A field of a request, and why another wire cannot serve it. */
export interface Untranslatable {
  param: string;
  why: string;
}

/** What an answer is written for. */
export interface AnswerContext {
  id: string;
  model: string;
  /** Seconds since 1970. */
  created: number;
  conversation: Conversation;
}

/** Writes one stream of events. */
export interface StreamWriter {
  write(event: AnswerEvent): string;
  /** Behind the last piece, once the answer is complete. */
  end(): string;
}

/** An event as it is sent. */
export function formatEvent(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
