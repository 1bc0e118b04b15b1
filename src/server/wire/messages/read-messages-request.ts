import { z } from "zod";
import { joinInstructions } from "../conversation.ts";
import type { AnswerFormat, Conversation, Part, SaidPart, TextPart, Tool, ToolChoice, Turn } from "../conversation.ts";
import { joinDataUrl } from "../data-url.ts";
import { isLookedUp } from "../is-looked-up.ts";
import { readSeal } from "./own-seal.ts";

const Source = z.looseObject({
  type: z.string(),
  media_type: z.string().nullish(),
  data: z.string().nullish(),
  url: z.string().nullish(),
  file_id: z.string().nullish(),
});

const InnerBlock = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  title: z.string().nullish(),
  source: z.union([Source, z.string()]).nullish(),
});
type InnerBlock = z.infer<typeof InnerBlock>;

const Block = InnerBlock.extend({
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
  thinking: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
  tool_use_id: z.string().nullish(),
  is_error: z.boolean().nullish(),
  content: z
    .union([z.string(), z.array(InnerBlock)])
    .nullish()
    .catch(undefined),
});
type Block = z.infer<typeof Block>;

const Texts = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().nullish() })).readonly(),
]);
const MessageParam = z.looseObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(Block)]),
});

const AnthropicTool = z.looseObject({
  type: z.string().nullish(),
  name: z.string(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const Choice = z.looseObject({
  type: z.enum(["auto", "any", "tool", "none"]),
  name: z.string().nullish(),
  disable_parallel_tool_use: z.boolean().nullish(),
});

const MessagesRequest = z.looseObject({
  model: z.string().nullish(),
  system: Texts.nullish(),
  messages: z.array(MessageParam).min(1, { error: "must hold a message" }),
  stream: z.boolean().nullish(),
  tools: z.array(AnthropicTool).nullish(),
  tool_choice: Choice.nullish(),
  max_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  output_config: z
    .looseObject({
      effort: z.string().nullish(),
      format: z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish(),
    })
    .nullish(),
});

/** Reads a request for a message. */
export function readMessagesRequest(body: unknown): Conversation {
  const request = MessagesRequest.parse(body);
  const own = readTexts(request.system);
  return {
    model: request.model ?? undefined,
    turns: joinInstructions([{ role: "system", parts: own }, ...readTurns(request.messages)]),
    tools: (request.tools ?? []).flatMap(readTool),
    toolChoice: readChoice(request.tool_choice),
    isParallel: request.tool_choice?.disable_parallel_tool_use ? false : undefined,
    maxTokens: request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    stop: request.stop_sequences ?? undefined,
    effort: request.output_config?.effort ?? undefined,
    format: readFormat(request.output_config?.format),
    isStreamed: request.stream ?? false,
  };
}

function readTurns(messages: readonly z.infer<typeof MessageParam>[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const last = turns.at(-1);
    if (role === "system") turns.push({ role, parts: readTexts(blocks) });
    else if (role === "assistant") {
      const parts = blocks.flatMap(readSaid);
      const origin = isLookedUp(JSON.stringify(blocks)) ? ({ origin: "untrusted" } as const) : {};
      if (last?.role === "assistant") Object.assign(last, { parts: [...last.parts, ...parts], ...origin });
      else turns.push({ role, parts, ...origin });
    } else turns.push(...readUser(blocks));
  }
  return turns;
}

/** What tools returned comes first, whatever stands beside it: the model must see it right behind its calls. */
function readUser(blocks: readonly Block[]): Turn[] {
  const results = blocks.flatMap((block): Turn[] => (block.type === "tool_result" ? [readResult(block)] : []));
  // What was found somewhere is handed in by the user, and not said by them.
  const found = blocks.filter(({ type }) => type === "search_result").flatMap(readPart);
  const rest = blocks.filter(({ type }) => type !== "tool_result" && type !== "search_result");
  return [
    ...results,
    ...(found.length === 0 ? [] : [{ role: "user", parts: found, origin: "untrusted" } as const]),
    ...(rest.length === 0 ? [] : [{ role: "user", parts: rest.flatMap(readPart) } as const]),
  ];
}

function readResult({ tool_use_id, content, is_error }: Block): Turn {
  const inner: readonly InnerBlock[] =
    typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const parts = inner.flatMap(readPart);
  return { role: "tool", callId: tool_use_id ?? "", parts, ...(is_error ? { isError: true } : {}) };
}

function readSaid(block: Block): SaidPart[] {
  if (block.type === "text") return block.text ? [{ type: "text", text: block.text }] : [];
  if (block.type === "thinking") {
    return [{ type: "reasoning", text: block.thinking ?? "", signature: readSeal(block.signature) }];
  }
  if (block.type === "redacted_thinking") return [{ type: "reasoning", text: "", signature: block.data ?? undefined }];
  if (block.type !== "tool_use") return [];
  return [{ type: "call", id: block.id ?? "", name: block.name ?? "", arguments: JSON.stringify(block.input ?? {}) }];
}

function readTexts(texts: z.infer<typeof Texts> | null | undefined): TextPart[] {
  const blocks = typeof texts === "string" ? [{ text: texts }] : (texts ?? []);
  return blocks.flatMap(({ text }) => (text ? [{ type: "text", text }] : []));
}

function readPart({ type, text, title, source, ...more }: InnerBlock): Part[] {
  if (type === "text") return text ? [{ type: "text", text }] : [];
  // A search result is words with a place.
  if (type === "search_result") {
    const words = readTexts(Texts.safeParse(more["content"]).data)
      .map((part) => part.text)
      .join("\n");
    return [{ type: "text", text: `${title ?? ""} (${typeof source === "string" ? source : ""})\n${words}` }];
  }
  if ((type !== "image" && type !== "document") || typeof source !== "object" || source === null) return [];
  const address = { url: addressOf(source), fileId: source.file_id ?? undefined };
  return type === "image" ? [{ type: "image", ...address }] : [{ type: "file", ...address, name: title ?? undefined }];
}

function addressOf({ type, media_type, data, url }: z.infer<typeof Source>): string | undefined {
  if (type === "base64" && data) return joinDataUrl(media_type ?? "application/octet-stream", data);
  if (type === "text" && data) return joinDataUrl("text/plain", Buffer.from(data).toString("base64"));
  return url ?? undefined;
}

/** What the provider would run by itself is left out: the one behind us may not have it. */
function readTool({ type, name, description, input_schema, strict }: z.infer<typeof AnthropicTool>): Tool[] {
  if (type && type !== "custom") return [];
  const parameters = input_schema ?? { type: "object", properties: {} };
  return [{ name, description: description ?? undefined, parameters, isStrict: strict || undefined }];
}

function readChoice(choice: z.infer<typeof Choice> | null | undefined): ToolChoice | undefined {
  if (!choice) return undefined;
  if (choice.type === "tool") return { name: choice.name ?? "" };
  return choice.type === "any" ? "required" : choice.type;
}

function readFormat(format: { type: string; schema?: unknown } | null | undefined): AnswerFormat | undefined {
  return format?.type === "json_schema" ? { type: "json_schema", name: "answer", schema: format.schema } : undefined;
}
