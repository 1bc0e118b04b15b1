import { z } from "zod";
import { isLookedUp } from "../is-looked-up.ts";
import { joinInstructions } from "../conversation.ts";
import type { AnswerFormat, Conversation, Part, SaidPart, TextPart, Tool, ToolChoice, Turn } from "../conversation.ts";

const ContentPart = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() }).transform(({ url }) => url)]).nullish(),
  detail: z.string().nullish(),
  file_id: z.string().nullish(),
  file_url: z.string().nullish(),
  file_data: z.string().nullish(),
  filename: z.string().nullish(),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }).nullish(),
});
type ContentPart = z.infer<typeof ContentPart>;
const Content = z.union([z.string(), z.array(ContentPart)]).nullish();

const Item = z
  .looseObject({
    type: z.string().nullish(),
    role: z.string().nullish(),
    content: z.unknown().optional(),
    call_id: z.string().nullish(),
    name: z.string().nullish(),
    namespace: z.string().nullish().catch(undefined),
    arguments: z.string().nullish(),
    input: z.unknown().optional(),
    output: z.unknown().optional(),
    summary: z
      .array(z.looseObject({ text: z.string().nullish() }))
      .nullish()
      .catch(undefined),
    encrypted_content: z.string().nullish().catch(undefined),
  })
  // Only of what was said: items of other kinds are the provider's affair.
  .refine(({ type, content }) => (type ?? "message") !== "message" || Content.safeParse(content).success, {
    path: ["content"],
    error: "must be a text or a list of parts",
  });
type Item = z.infer<typeof Item>;

const ResponsesTool = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  tools: z.array(z.unknown()).nullish(),
});

const Choice = z.union([
  z.enum(["auto", "none", "required"]),
  z.looseObject({ type: z.string(), name: z.string().nullish(), mode: z.string().nullish() }),
]);

const ResponsesRequest = z.looseObject({
  model: z.string().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string().min(1), z.array(Item).min(1)], { error: "must be a text or a list of items" }),
  stream: z.boolean().nullish(),
  tools: z.array(ResponsesTool).nullish(),
  tool_choice: Choice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z
    .looseObject({
      format: z
        .looseObject({
          type: z.string(),
          name: z.string().nullish(),
          schema: z.unknown().optional(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** Between the name of a group of tools and that of a tool in it, where both must be one name. */
const GROUP_MARK = "__";

/** Reads a request for a response. */
export function readResponsesRequest(body: unknown): Conversation {
  const request = ResponsesRequest.parse(body);
  const { instructions, input } = request;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const own: Turn[] = instructions ? [{ role: "system", parts: [{ type: "text", text: instructions }] }] : [];
  return {
    model: request.model ?? undefined,
    turns: joinInstructions([...own, ...readItems(items)]),
    tools: (request.tools ?? []).flatMap((tool) => readTool(tool, undefined)),
    toolChoice: readChoice(request.tool_choice),
    isParallel: request.parallel_tool_calls === false ? false : undefined,
    maxTokens: request.max_output_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    effort: request.reasoning?.effort ?? undefined,
    format: readFormat(request.text?.format),
    isStreamed: request.stream ?? false,
  };
}

/** What follows one another on the model's side is one turn. */
function readItems(items: readonly Item[]): Turn[] {
  const turns: Turn[] = [];
  let isOutside = false;
  const said = (...parts: SaidPart[]): void => {
    const last = turns.at(-1);
    const origin = isOutside ? ({ origin: "untrusted" } as const) : {};
    if (last?.role === "assistant") Object.assign(last, { parts: [...last.parts, ...parts], ...origin });
    else turns.push({ role: "assistant", parts, ...origin });
  };
  for (const item of items) {
    const type = item.type ?? "message";
    isOutside =
      type === "message" && item.role === "assistant" ? isOutside || isLookedUp(JSON.stringify(item)) : isOutside;
    if (type === "message") {
      if (item.role === "assistant") said(...readOutput(item));
      else turns.push(readMessage(item));
    } else if (type === "reasoning") said(readReasoning(item));
    else if (type === "function_call" || type === "custom_tool_call") said(readCall(item));
    else if (type === "function_call_output" || type === "custom_tool_call_output") turns.push(readResult(item));
    // Anything else ran at another provider, and brought in what nobody here said.
    else isOutside ||= isLookedUp(JSON.stringify(item));
  }
  return turns;
}

function readMessage({ role, content }: Item): Turn {
  if (role === "system" || role === "developer") return { role: "system", parts: readTexts(Content.parse(content)) };
  return { role: "user", parts: readParts(Content.parse(content)) };
}

function readOutput({ content }: Item): SaidPart[] {
  return asParts(Content.parse(content)).flatMap((part): SaidPart[] => {
    if (part.refusal) return [{ type: "refusal", text: part.refusal }];
    return part.text ? [{ type: "text", text: part.text }] : [];
  });
}

function readReasoning({ summary, encrypted_content }: Item): SaidPart {
  const text = (summary ?? []).map((each) => each.text ?? "").join("\n");
  return { type: "reasoning", text, signature: encrypted_content ?? undefined };
}

function readCall({ type, call_id, name, namespace, arguments: given, input }: Item): SaidPart {
  const call = { type: "call", id: call_id ?? "", name: joinName(namespace, name ?? "") } as const;
  if (type === "function_call") return { ...call, arguments: given ?? "" };
  return { ...call, arguments: typeof input === "string" ? input : JSON.stringify(input ?? ""), isCustom: true };
}

function readResult({ type, call_id, output }: Item): Turn {
  const parts = Content.safeParse(output).data;
  const isText = typeof output === "string" || parts !== undefined;
  return {
    role: "tool",
    callId: call_id ?? "",
    parts: isText ? readParts(parts) : [{ type: "text", text: JSON.stringify(output ?? "") }],
    ...(type === "custom_tool_call_output" ? { isCustom: true } : {}),
  };
}

function asParts(content: z.infer<typeof Content>): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : (content ?? []);
}

function readTexts(content: z.infer<typeof Content>): TextPart[] {
  return asParts(content).flatMap(({ text }) => (text ? [{ type: "text", text }] : []));
}

function readParts(content: z.infer<typeof Content>): Part[] {
  return asParts(content).flatMap((part): Part[] => {
    const { text, image_url: url, file_id, file_url, file_data, filename, detail, input_audio: audio } = part;
    if (part.type === "input_image") {
      return [{ type: "image", url: url ?? undefined, fileId: file_id ?? undefined, detail: detail ?? undefined }];
    }
    if (part.type === "input_file") {
      const address = file_data ?? file_url ?? undefined;
      return [{ type: "file", url: address, fileId: file_id ?? undefined, name: filename ?? undefined }];
    }
    if (audio) return [{ type: "audio", data: audio.data, format: audio.format }];
    return text ? [{ type: "text", text }] : [];
  });
}

/** What a provider would run by itself is left out: the one behind us may not have it. */
function readTool(given: unknown, group: string | undefined): Tool[] {
  const tool = ResponsesTool.safeParse(given).data;
  if (tool?.type === "namespace") return (tool.tools ?? []).flatMap((each) => readTool(each, tool.name ?? undefined));
  if (!tool?.name || (tool.type !== "function" && tool.type !== "custom")) return [];
  const { name, description } = tool;
  const shared = {
    name: joinName(group, name),
    description: description ?? undefined,
    ...(group === undefined ? {} : { grouped: { group, name } }),
  };
  if (tool.type === "custom") return [{ ...shared, isCustom: true }];
  const parameters = tool.parameters ?? { type: "object", properties: {} };
  return [{ ...shared, parameters, isStrict: tool.strict || undefined }];
}

function joinName(group: string | null | undefined, name: string): string {
  return group ? `${group}${GROUP_MARK}${name}` : name;
}

function readChoice(choice: z.infer<typeof Choice> | null | undefined): ToolChoice | undefined {
  if (choice === null || choice === undefined || typeof choice === "string") return choice ?? undefined;
  if (choice.type === "allowed_tools") return choice.mode === "required" ? "required" : "auto";
  return choice.name ? { name: choice.name } : undefined;
}

type Format = NonNullable<NonNullable<z.infer<typeof ResponsesRequest>["text"]>["format"]>;

function readFormat(format: Format | null | undefined): AnswerFormat | undefined {
  if (format?.type === "json_object") return { type: "json_object" };
  if (format?.type !== "json_schema") return undefined;
  return {
    type: "json_schema",
    name: format.name ?? "answer",
    schema: format.schema,
    isStrict: format.strict ?? undefined,
  };
}
