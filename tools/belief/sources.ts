import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A message that was labelled: whose collection it is of, what it says, and what was said to its writer just before. */
export interface SourceMessage {
  id: string;
  source: string;
  text: string;
  before?: string;
}

const Real = z.object({ id: z.string(), source: z.string(), text: z.string() });
const Said = z.object({
  session: z.string(),
  id: z.string(),
  role: z.string(),
  name: z.string().optional(),
  content: z.string(),
});
const Turn = z.object({
  user: z.object({ content: z.string() }).optional(),
  assistant: z.object({ content: z.string() }).optional(),
});

/** Every message of the collections under `shared` that may be labelled, in a fixed order. */
export function readSources(shared: string): SourceMessage[] {
  return [
    ...readLines(join(shared, "belief/real/messages.jsonl"), Real).map(({ id, source, text }) => ({
      id: `${source}/${id}`,
      source,
      text,
    })),
    ...readBeam(join(shared, "recall/beam-100k")),
    ...readLocomo(join(shared, "recall/locomo")),
    ...readLifeBench(join(shared, "recall/lifebench-en"), "lifebench-en"),
    ...readLifeBench(join(shared, "recall/lifebench-zh"), "lifebench-zh"),
  ];
}

/** Lines of JSON, checked. */
export function readLines<T>(path: string, schema: z.ZodType<T>): T[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}

function worldsOf(folder: string): string[] {
  return readdirSync(folder).toSorted();
}

function readBeam(folder: string): SourceMessage[] {
  return worldsOf(folder).flatMap((world) => {
    const said = readLines(join(folder, world, "messages.jsonl"), Said);
    return said.flatMap((message, index) =>
      message.role === "user"
        ? [withBefore({ id: `beam/${world}/${message.id}`, source: "beam", text: message.content }, said[index - 1])]
        : [],
    );
  });
}

function readLocomo(folder: string): SourceMessage[] {
  return worldsOf(folder).flatMap((world) => {
    const said = readLines(join(folder, world, "messages.jsonl"), Said);
    return said.map((message, index) =>
      withBefore({ id: `locomo/${world}/${message.id}`, source: "locomo", text: message.content }, said[index - 1]),
    );
  });
}

const LONGEST_BEFORE = 600;

function withBefore(message: SourceMessage, before: z.infer<typeof Said> | undefined): SourceMessage {
  return before === undefined ? message : { ...message, before: before.content.slice(0, LONGEST_BEFORE) };
}

/** The person's own words among a year of records: their turns with an assistant, notes, and messages they sent. */
function readLifeBench(folder: string, source: string): SourceMessage[] {
  return worldsOf(folder).flatMap((world) =>
    readLines(join(folder, world, "messages.jsonl"), Said).flatMap((message): SourceMessage[] => {
      const id = `${source}/${message.id}`;
      if (message.session === "agent_chat") return turnsOf(message.content, id, source);
      if (message.session === "note") {
        const text = /^content: ([\s\S]*?)\n(?:datetime|summarized_info): /m.exec(message.content)?.[1];
        return text === undefined ? [] : [{ id, source, text }];
      }
      if (message.session === "sms" && /^message_type: (?:Sen[dt]|发送)/m.test(message.content)) {
        const text = /^message_content: ([\s\S]*?)\ncontactName: /m.exec(message.content)?.[1];
        return text === undefined ? [] : [{ id, source, text: text.replace(/^(?:Song Yajing|宋雅静)\s*[:：]\s*/, "") }];
      }
      return [];
    }),
  );
}

function turnsOf(content: string, id: string, source: string): SourceMessage[] {
  const json = /^conversation: (\{.*\})\s*$/m.exec(content)?.[1];
  if (json === undefined) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    // Some records were cut by their collectors.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const turns = z.record(z.string(), Turn).safeParse(parsed);
  if (!turns.success) return [];
  let before: string | undefined;
  return Object.values(turns.data).flatMap((turn, index) => {
    const text = turn.user?.content;
    const earlier = before;
    before = turn.assistant?.content;
    if (text === undefined) return [];
    const message = { id: `${id}/${index + 1}`, source, text };
    return [earlier === undefined ? message : { ...message, before: earlier.slice(0, LONGEST_BEFORE) }];
  });
}
