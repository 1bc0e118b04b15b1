import { MemoryError } from "../../../errors.ts";
import { withWords } from "../conversation.ts";
import type { Conversation, Part, SaidPart, Tool, ToolTurn, Turn } from "../conversation.ts";
import { splitDataUrl } from "../data-url.ts";
import { readArguments } from "../read-arguments.ts";

// This wire wants a limit; clients of the others need not give one.
const DEFAULT_ANSWER_TOKENS = 8192;

/** A request for a message. */
export function writeMessagesRequest(conversation: Conversation): Record<string, unknown> {
  const { tools, effort, format } = conversation;
  const turns = withWords(conversation.turns);
  const [first] = turns;
  const isPrompt = first?.role === "system";
  const schema = format?.type === "json_schema" ? { type: "json_schema", schema: format.schema } : undefined;
  return {
    model: conversation.model,
    ...(isPrompt ? { system: first.parts.map(({ text }) => ({ type: "text", text })) } : {}),
    messages: writeTurns(isPrompt ? turns.slice(1) : turns),
    max_tokens: conversation.maxTokens ?? DEFAULT_ANSWER_TOKENS,
    ...(tools.length > 0 ? { tools: tools.map(writeTool), tool_choice: writeChoice(conversation) } : {}),
    temperature: conversation.temperature,
    top_p: conversation.topP,
    stop_sequences: conversation.stop,
    ...(effort === undefined && schema === undefined ? {} : { output_config: { effort, format: schema } }),
    stream: conversation.isStreamed,
  };
}

function writeTurns(turns: readonly Turn[]): unknown[] {
  const messages: { role: string; content: unknown[] }[] = [];
  let results: unknown[] = [];
  const endResults = (more: readonly unknown[] = []): void => {
    if (results.length + more.length > 0) messages.push({ role: "user", content: [...results, ...more] });
    results = [];
  };
  for (const turn of turns) {
    if (turn.role === "tool") results.push(writeResult(turn));
    // Words behind results belong to the same message: users and models take turns here.
    else if (turn.role === "user") endResults(turn.parts.map(writePart));
    else {
      endResults();
      const content = turn.role === "assistant" ? turn.parts.flatMap(writeSaid) : turn.parts.map(writePart);
      if (content.length > 0) messages.push({ role: turn.role, content });
    }
  }
  endResults();
  return messages;
}

function writeSaid(part: SaidPart): unknown[] {
  if (part.type === "text" || part.type === "refusal") return [{ type: "text", text: part.text }];
  if (part.type === "reasoning") {
    const { text, signature } = part;
    // Thoughts that this provider has not sealed are refused by it.
    if (signature === undefined) return [];
    return [
      text === "" ? { type: "redacted_thinking", data: signature } : { type: "thinking", thinking: text, signature },
    ];
  }
  const input = part.isCustom ? { input: part.arguments } : readArguments(part.arguments);
  return [{ type: "tool_use", id: part.id, name: part.name, input }];
}

function writeResult({ callId, parts, isError }: ToolTurn): unknown {
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...(parts.length > 0 ? { content: parts.map(writePart) } : {}),
    ...(isError ? { is_error: true } : {}),
  };
}

function writePart(part: Part): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "audio") {
    throw new MemoryError("MESSAGE_INVALID", "The provider's API (messages) takes no audio; send text instead");
  }
  const source = writeSource(part.url, part.fileId);
  return part.type === "image" ? { type: "image", source } : { type: "document", source, title: part.name };
}

function writeSource(url: string | undefined, fileId: string | undefined): unknown {
  if (url === undefined) return { type: "file", file_id: fileId };
  const inline = splitDataUrl(url);
  if (inline === undefined) return { type: "url", url };
  const { mediaType, data } = inline;
  if (mediaType !== "text/plain") return { type: "base64", media_type: mediaType, data };
  return { type: "text", media_type: mediaType, data: Buffer.from(data, "base64").toString() };
}

function writeTool({ name, description, parameters, isStrict, isCustom }: Tool): unknown {
  const text = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
  return { name, description, input_schema: isCustom ? text : parameters, strict: isStrict };
}

function writeChoice({ toolChoice: choice, isParallel }: Conversation): unknown {
  const alone = isParallel === false ? { disable_parallel_tool_use: true } : {};
  if (typeof choice === "object") return { type: "tool", name: choice.name, ...alone };
  if (choice === "none") return { type: "none" };
  if (choice === "required") return { type: "any", ...alone };
  return choice === "auto" || isParallel === false ? { type: "auto", ...alone } : undefined;
}
