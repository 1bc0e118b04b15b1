import type { AnswerFormat, CallPart, Conversation, Part, SaidPart, Tool, ToolChoice, Turn } from "../conversation.ts";
import { wordsOf } from "../conversation.ts";

/** A request for a chat completion. */
export function writeChatRequest(conversation: Conversation): Record<string, unknown> {
  const { tools, isStreamed } = conversation;
  return {
    model: conversation.model,
    messages: writeTurns(conversation.turns),
    ...(tools.length > 0 ? { tools: tools.map(writeTool) } : {}),
    ...(tools.length > 0 ? { tool_choice: writeChoice(conversation.toolChoice) } : {}),
    ...(tools.length > 0 ? { parallel_tool_calls: conversation.isParallel } : {}),
    max_tokens: conversation.maxTokens,
    temperature: conversation.temperature,
    top_p: conversation.topP,
    stop: conversation.stop,
    reasoning_effort: conversation.effort,
    response_format: writeFormat(conversation.format),
    stream: isStreamed,
    // Without this no provider tells what a stream took.
    ...(isStreamed ? { stream_options: { include_usage: true } } : {}),
  };
}

function writeTurns(turns: readonly Turn[]): unknown[] {
  const messages: unknown[] = [];
  let pictures: Part[] = [];
  const showPictures = (): void => {
    if (pictures.length > 0) messages.push({ role: "user", content: pictures.map(writePart) });
    pictures = [];
  };
  for (const turn of turns) {
    if (turn.role !== "tool") showPictures();
    if (turn.role === "tool") {
      // Results hold words alone on this wire; what else a tool returned follows behind all results of the turn.
      const others = turn.parts.filter(({ type }) => type !== "text");
      if (others.length > 0) pictures.push({ type: "text", text: `[returned by ${turn.callId}]` }, ...others);
      messages.push({ role: "tool", tool_call_id: turn.callId, name: turn.name, content: writeResult(turn) });
    } else if (turn.role === "assistant") messages.push({ role: "assistant", ...writeSaid(turn.parts) });
    else if (turn.role === "system") messages.push({ role: "system", content: writeTexts(turn.parts) });
    else messages.push({ role: "user", name: turn.name, content: writeContent(turn.parts) });
  }
  showPictures();
  return messages;
}

function writeResult({ parts, isError }: Extract<Turn, { role: "tool" }>): unknown {
  const texts = parts.filter((part) => part.type === "text");
  if (!isError) return writeTexts(texts);
  const words = wordsOf(texts);
  return /error|fail/i.test(words.slice(0, 200)) ? words : `Error: ${words}`;
}

/** What a model said, as a message holds it. */
export function writeSaid(parts: readonly SaidPart[]): Record<string, unknown> {
  const texts = parts.filter((part) => part.type === "text");
  const calls = parts.filter((part) => part.type === "call");
  const refusal = parts.find((part) => part.type === "refusal");
  const thoughts = parts.flatMap((part) => (part.type === "reasoning" && part.text !== "" ? [part.text] : []));
  return {
    content: texts.length === 0 ? null : writeTexts(texts),
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join("\n") } : {}),
    ...(refusal ? { refusal: refusal.text } : {}),
    ...(calls.length > 0 ? { tool_calls: calls.map(writeCall) } : {}),
  };
}

/** A call; a tool that takes any text takes it as its only argument. */
function writeCall({ id, name, arguments: given, isCustom }: CallPart): unknown {
  const text = isCustom ? JSON.stringify({ input: given }) : given;
  return { id, type: "function", function: { name, arguments: text } };
}

function writeTexts(parts: readonly { text: string }[]): unknown {
  const [first] = parts;
  if (parts.length > 1) return parts.map(({ text }) => ({ type: "text", text }));
  return first?.text ?? "";
}

function writeContent(parts: readonly Part[]): unknown {
  const texts = parts.filter((part) => part.type === "text");
  return texts.length === parts.length ? writeTexts(texts) : parts.map(writePart);
}

function writePart(part: Part): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "audio") return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
  if (part.type === "image" && part.url !== undefined) {
    return { type: "image_url", image_url: { url: part.url, detail: part.detail } };
  }
  const name = part.type === "file" ? part.name : undefined;
  return { type: "file", file: { filename: name, file_data: part.url, file_id: part.fileId } };
}

function writeTool({ name, description, parameters, isStrict, isCustom }: Tool): unknown {
  const text = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
  return {
    type: "function",
    function: { name, description, parameters: isCustom ? text : parameters, strict: isStrict },
  };
}

function writeChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice;
}

function writeFormat(format: AnswerFormat | undefined): unknown {
  if (format?.type !== "json_schema") return format;
  const { name, schema, isStrict } = format;
  return { type: "json_schema", json_schema: { name, schema, strict: isStrict } };
}
