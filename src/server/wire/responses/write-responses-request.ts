import { MemoryError } from "../../../errors.ts";
import { withWords } from "../conversation.ts";
import type { AnswerFormat, Conversation, Part, SaidPart, Tool, ToolChoice, ToolTurn, Turn } from "../conversation.ts";

/** A request for a response. */
export function writeResponsesRequest(conversation: Conversation): Record<string, unknown> {
  const { tools, effort, format } = conversation;
  const turns = withWords(conversation.turns);
  if (conversation.stop && conversation.stop.length > 0) {
    throw new MemoryError(
      "MESSAGE_INVALID",
      "The provider's API (responses) takes no stop sequences; leave out `stop`",
    );
  }
  const [first] = turns;
  const [prompt, ...more] = first?.role === "system" ? first.parts : [];
  const rest: readonly Turn[] = prompt ? turns.slice(1) : turns;
  const further: Turn[] = more.length > 0 ? [{ role: "system", parts: more }] : [];
  return {
    model: conversation.model,
    ...(prompt ? { instructions: prompt.text } : {}),
    input: [...further, ...rest].flatMap(writeTurn),
    ...(tools.length > 0 ? { tools: tools.map(writeTool) } : {}),
    ...(tools.length > 0 ? { tool_choice: writeChoice(conversation.toolChoice) } : {}),
    ...(tools.length > 0 ? { parallel_tool_calls: conversation.isParallel } : {}),
    max_output_tokens: conversation.maxTokens,
    temperature: conversation.temperature,
    top_p: conversation.topP,
    // Sealed thoughts come back with the next request; models that do not think refuse to be asked for them.
    ...(effort === undefined ? {} : { reasoning: { effort }, include: ["reasoning.encrypted_content"] }),
    ...(format === undefined ? {} : { text: { format: writeFormat(format) } }),
    stream: conversation.isStreamed,
    // The conversation is kept here; the provider need not keep it, too.
    store: false,
  };
}

function writeTurn(turn: Turn): unknown[] {
  if (turn.role === "assistant") return writeSaid(turn.parts);
  if (turn.role === "tool") return [writeResult(turn)];
  const role = turn.role === "system" ? "developer" : "user";
  return [{ type: "message", role, content: turn.parts.map(writePart) }];
}

function writeSaid(parts: readonly SaidPart[]): unknown[] {
  const items: unknown[] = [];
  let words: unknown[] = [];
  const endMessage = (): void => {
    if (words.length > 0) items.push({ type: "message", role: "assistant", content: words });
    words = [];
  };
  for (const part of parts) {
    if (part.type === "text") words.push({ type: "output_text", text: part.text });
    else if (part.type === "refusal") words.push({ type: "refusal", refusal: part.text });
    else {
      endMessage();
      if (part.type === "reasoning") items.push(writeReasoning(part.text, part.signature));
      else if (part.isCustom)
        items.push({ type: "custom_tool_call", call_id: part.id, name: part.name, input: part.arguments });
      else items.push({ type: "function_call", call_id: part.id, name: part.name, arguments: part.arguments });
    }
  }
  endMessage();
  return items;
}

function writeReasoning(text: string, signature: string | undefined): unknown {
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return { type: "reasoning", summary, encrypted_content: signature };
}

function writeResult({ callId, parts, isError, isCustom }: ToolTurn): unknown {
  const type = isCustom ? "custom_tool_call_output" : "function_call_output";
  const [first] = parts;
  const words = parts.length === 1 && first?.type === "text" ? first.text : undefined;
  if (words !== undefined && isError) {
    return { type, call_id: callId, output: /error|fail/i.test(words.slice(0, 200)) ? words : `Error: ${words}` };
  }
  return { type, call_id: callId, output: words ?? (parts.length === 0 ? "" : parts.map(writePart)) };
}

function writePart(part: Part): unknown {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "audio") return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
  if (part.type === "image") {
    return { type: "input_image", image_url: part.url, file_id: part.fileId, detail: part.detail };
  }
  const isData = part.url?.startsWith("data:") ?? false;
  return {
    type: "input_file",
    filename: part.name,
    file_id: part.fileId,
    ...(part.url === undefined ? {} : isData ? { file_data: part.url } : { file_url: part.url }),
  };
}

function writeTool({ name, description, parameters, isStrict, isCustom }: Tool): unknown {
  if (isCustom) return { type: "custom", name, description };
  return { type: "function", name, description, parameters, strict: isStrict ?? false };
}

function writeChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === "object" ? { type: "function", name: choice.name } : choice;
}

function writeFormat(format: AnswerFormat): unknown {
  if (format.type !== "json_schema") return format;
  return { type: "json_schema", name: format.name, schema: format.schema, strict: format.isStrict };
}
