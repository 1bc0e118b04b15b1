import { z } from "zod";
import type { Memory } from "../memory.ts";
import type { Message } from "../session/message.ts";
import { latestSessions } from "./find-continued.ts";
import type { Looking } from "./find-continued.ts";
import type { Failure } from "./wire/conversation.ts";
import { customInput } from "./wire/read-arguments.ts";

const Item = z.looseObject({
  type: z.string().nullish().catch(undefined),
  id: z.string().nullish().catch(undefined),
  call_id: z.string().nullish().catch(undefined),
});
type Item = z.infer<typeof Item>;
const Body = z.looseObject({ input: z.array(Item) });
const ItemIds = z.array(z.string()).catch([]);

/**
 * A request for a response with each reference to an item of an earlier answer (`item_reference`) replaced by what that
 * answer said. Clients that count on the provider to keep its answers send nothing else of them.
 */
export async function resolveReferences(
  memory: Memory,
  body: Record<string, unknown>,
  looking: Looking,
): Promise<{ body: Record<string, unknown> } | { failure: Failure }> {
  const input = Body.safeParse(body).data?.input ?? [];
  const wanted = new Set(input.flatMap((item) => (isReference(item) ? [item.id] : [])));
  if (wanted.size === 0) return { body };
  const found = await findItems(memory, wanted, looking);
  const missing = [...wanted].find((id) => !found.has(id) && !isThought(id));
  if (missing !== undefined) return { failure: notFound(missing) };
  const told = new Set<Message>();
  const byCall = Map.groupBy(input, ({ call_id }) => call_id ?? "");
  const items = input.flatMap((item): unknown[] => {
    if (!isReference(item)) return [item];
    const message = found.get(item.id);
    // One answer holds several items: it comes whole, with the first of them.
    if (!message || told.has(message)) return [];
    told.add(message);
    return writeItems(message, byCall);
  });
  return { body: { ...body, input: items } };
}

function isReference(item: Item): item is Item & { id: string } {
  return item.type === "item_reference" && typeof item.id === "string";
}

/** Thoughts are not kept: nothing of the conversation is missing without them. */
function isThought(id: string): boolean {
  return id.startsWith("rs_");
}

async function findItems(memory: Memory, wanted: ReadonlySet<string>, looking: Looking): Promise<Map<string, Message>> {
  const found = new Map<string, Message>();
  for await (const { messages } of latestSessions(memory, looking)) {
    const held = indexItems(messages);
    for (const id of wanted) {
      const name = found.has(id) ? undefined : namesOf(id).find((each) => held.has(each));
      const message = name === undefined ? undefined : held.get(name);
      if (message) found.set(id, message);
    }
    if ([...wanted].every((id) => found.has(id) || isThought(id))) break;
  }
  return found;
}

/** Answers by what they can be referred to; the newest counts. */
function indexItems(messages: readonly Message[]): Map<string, Message> {
  const held = new Map<string, Message>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const { response_id: responseId, tool_calls: calls } = message;
    if (typeof responseId === "string") held.set(`answer ${responseId}`, message);
    for (const { id } of calls ?? []) held.set(`call ${id}`, message);
    for (const id of ItemIds.parse(message["item_ids"])) held.set(`item ${id}`, message);
  }
  return held;
}

/** Items that we wrote carry the id of their answer, or of their call; those of a provider are on record. */
function namesOf(id: string): string[] {
  const [, answer] = /^(?:msg|rs)_(.+)_\d+$/.exec(id) ?? [];
  const [, call] = /^(?:fc|ctc)_(.+)$/.exec(id) ?? [];
  return [
    ...(answer === undefined ? [] : [`answer ${answer}`]),
    ...(call === undefined ? [] : [`call ${call}`]),
    `item ${id}`,
  ];
}

function writeItems({ content, tool_calls }: Message, byCall: ReadonlyMap<string, readonly Item[]>): unknown[] {
  const texts = typeof content === "string" ? [content] : Array.isArray(content) ? content.map(textOf) : [];
  const words = texts.flatMap((text) => (text ? [{ type: "output_text", text }] : []));
  const said = words.length > 0 ? [{ type: "message", role: "assistant", content: words }] : [];
  const calls = (tool_calls ?? []).flatMap(({ id, function: asked }): unknown[] => {
    const own = byCall.get(id ?? "") ?? [];
    const result = own.find(({ type }) => type?.endsWith("_output"));
    // A call that is sent as well stays where it is; one without a result would be refused.
    if (!result || own.some(({ type }) => type?.endsWith("_call"))) return [];
    const call = { call_id: id, name: asked?.name };
    const given = typeof asked?.arguments === "string" ? asked.arguments : JSON.stringify(asked?.arguments ?? {});
    return result.type === "custom_tool_call_output"
      ? [{ type: "custom_tool_call", ...call, input: customInput(given) }]
      : [{ type: "function_call", ...call, arguments: given }];
  });
  return [...said, ...calls];
}

function textOf(part: unknown): string | undefined {
  return z.looseObject({ text: z.string() }).safeParse(part).data?.text;
}

function notFound(id: string): Failure {
  const message = `Item with id '${id}' not found: no answer on record here holds it. Send the items themselves (store: false)`;
  return { status: 404, message, code: null, param: "input" };
}
