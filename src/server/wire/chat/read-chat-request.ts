import { z } from "zod";
import { joinInstructions } from "../conversation.ts";
import { isLookedUp } from "../is-looked-up.ts";
import type { AnswerFormat, Conversation, Part, SaidPart, TextPart, Tool, ToolChoice, Turn } from "../conversation.ts";

const ContentPart = z.union([
  z.string(),
  z.looseObject({
    type: z.string(),
    text: z.string().nullish(),
    refusal: z.string().nullish(),
    image_url: z.union([z.string(), z.looseObject({ url: z.string(), detail: z.string().nullish() })]).nullish(),
    file: z
      .looseObject({ filename: z.string().nullish(), file_data: z.string().nullish(), file_id: z.string().nullish() })
      .nullish(),
    input_audio: z.looseObject({ data: z.string(), format: z.string() }).nullish(),
  }),
]);
type ContentPart = z.infer<typeof ContentPart>;

const Call = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }).nullish(),
  custom: z.looseObject({ name: z.string(), input: z.string() }).nullish(),
});

const ChatMessage = z.looseObject({
  role: z.string().min(1),
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  name: z.string().nullish().catch(undefined),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish().catch(undefined),
  tool_calls: z.array(Call).nullish(),
  tool_call_id: z.string().nullish(),
  origin: z.literal("untrusted").optional().catch(undefined),
});
type ChatMessage = z.infer<typeof ChatMessage>;

const Named = z.looseObject({ name: z.string() });
const ChatTool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: z.string(),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    })
    .nullish(),
  custom: z.looseObject({ name: z.string(), description: z.string().nullish() }).nullish(),
});

const Choice = z.union([
  z.enum(["auto", "none", "required"]),
  z.looseObject({ type: z.string(), function: Named.nullish(), custom: Named.nullish() }),
]);

const Format = z.looseObject({
  type: z.string(),
  json_schema: z
    .looseObject({ name: z.string(), schema: z.unknown().optional(), strict: z.boolean().nullish() })
    .nullish(),
});

const ChatRequest = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(ChatMessage).min(1, { error: "must hold a message" }),
  stream: z.boolean().nullish(),
  tools: z.array(ChatTool).nullish(),
  tool_choice: Choice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: Format.nullish(),
});

/** Reads a request for a chat completion. */
export function readChatRequest(body: unknown): Conversation {
  const request = ChatRequest.parse(body);
  const { stop } = request;
  return {
    model: request.model ?? undefined,
    turns: joinInstructions(request.messages.flatMap((message) => readTurn(message))),
    tools: (request.tools ?? []).flatMap((tool) => readTool(tool)),
    toolChoice: readChoice(request.tool_choice),
    isParallel: request.parallel_tool_calls === false ? false : undefined,
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    stop: typeof stop === "string" ? [stop] : (stop ?? undefined),
    effort: request.reasoning_effort ?? undefined,
    format: readFormat(request.response_format),
    isStreamed: request.stream ?? false,
  };
}

function readTurn(message: ChatMessage): Turn[] {
  const { role, name } = message;
  const origin = message.origin === undefined ? {} : { origin: message.origin };
  if (role === "system" || role === "developer") return [{ role: "system", parts: readTexts(message.content) }];
  if (role === "assistant") {
    const isOutside = message.origin !== undefined || isLookedUp(JSON.stringify({ ...message, tool_calls: null }));
    return [{ role: "assistant", parts: readSaid(message), ...(isOutside ? { origin: "untrusted" } : {}) }];
  }
  if (role === "tool" || role === "function") {
    const callId = message.tool_call_id ?? "";
    return [{ role: "tool", callId, name: name ?? undefined, ...origin, parts: readParts(message.content) }];
  }
  if (role !== "user") return [];
  return [{ role: "user", name: name ?? undefined, ...origin, parts: readParts(message.content) }];
}

function readSaid({ content, refusal, reasoning_content, tool_calls }: ChatMessage): SaidPart[] {
  const said: SaidPart[] = [];
  if (reasoning_content) said.push({ type: "reasoning", text: reasoning_content });
  for (const part of asParts(content)) {
    if (typeof part === "string" || part.type === "text") said.push(...readTexts([part]));
    else if (part.refusal) said.push({ type: "refusal", text: part.refusal });
  }
  if (refusal) said.push({ type: "refusal", text: refusal });
  for (const { id, function: asked, custom } of tool_calls ?? []) {
    if (custom) said.push({ type: "call", id: id ?? "", name: custom.name, arguments: custom.input, isCustom: true });
    if (!asked) continue;
    const given = asked.arguments ?? "";
    const text = typeof given === "string" ? given : JSON.stringify(given);
    said.push({ type: "call", id: id ?? "", name: asked.name, arguments: text });
  }
  return said;
}

function asParts(content: ChatMessage["content"]): readonly ContentPart[] {
  if (content === null || content === undefined) return [];
  return typeof content === "string" ? [content] : content;
}

function readTexts(content: ChatMessage["content"]): TextPart[] {
  return asParts(content).flatMap((part) => {
    const text = typeof part === "string" ? part : (part.text ?? "");
    return text === "" ? [] : [{ type: "text", text }];
  });
}

function readParts(content: ChatMessage["content"]): Part[] {
  return asParts(content).flatMap((part): Part[] => {
    if (typeof part === "string" || part.type === "text") return readTexts([part]);
    const { image_url: image, file, input_audio: audio } = part;
    if (image) {
      if (typeof image === "string") return [{ type: "image", url: image }];
      return [{ type: "image", url: image.url, detail: image.detail ?? undefined }];
    }
    if (audio) return [{ type: "audio", data: audio.data, format: audio.format }];
    if (!file) return [];
    const { file_data: url, file_id: fileId, filename } = file;
    return [{ type: "file", url: url ?? undefined, fileId: fileId ?? undefined, name: filename ?? undefined }];
  });
}

function readTool({ function: asked, custom }: z.infer<typeof ChatTool>): Tool[] {
  if (custom) return [{ name: custom.name, description: custom.description ?? undefined, isCustom: true }];
  if (!asked) return [];
  const { name, description, parameters, strict } = asked;
  return [
    {
      name,
      description: description ?? undefined,
      parameters: parameters ?? { type: "object", properties: {} },
      isStrict: strict || undefined,
    },
  ];
}

function readChoice(choice: z.infer<typeof Choice> | null | undefined): ToolChoice | undefined {
  if (choice === null || choice === undefined || typeof choice === "string") return choice ?? undefined;
  const named = choice.function ?? choice.custom;
  return named ? { name: named.name } : undefined;
}

function readFormat(format: z.infer<typeof Format> | null | undefined): AnswerFormat | undefined {
  if (format?.type === "json_object") return { type: "json_object" };
  const wanted = format?.json_schema;
  if (!wanted) return undefined;
  return { type: "json_schema", name: wanted.name, schema: wanted.schema, isStrict: wanted.strict ?? undefined };
}
