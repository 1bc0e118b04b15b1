import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { z } from "zod";

const Asked = z.object({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).optional(),
});

/** A model that answers at once, with a number that no other answer has. */
export interface EchoModel {
  /** What a workspace's configuration says of it. */
  config: Readonly<Record<string, unknown>>;
  close(): void;
}

/** Starts a model on loopback: it repeats the newest words of a talk, and digests whatever it is shown. */
export async function startEchoModel(): Promise<EchoModel> {
  let count = 0;
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      const { messages, tools = [] } = Asked.parse(JSON.parse(text));
      const number = ++count;
      const isDigest = tools.some(({ function: { name } }) => name === "save_memory");
      const message = isDigest ? digest(number) : { role: "assistant", content: `${words(messages)} #${number}` };
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
      const choices = [{ index: 0, message, finish_reason: isDigest ? "tool_calls" : "stop" }];
      const body = { id: `c${number}`, object: "chat.completion", created: 0, model: "echo", choices, usage };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    config: {
      agents: { defaults: { model: "scripted/echo", memoryWindow: 12 } },
      providers: { scripted: { baseUrl: `http://127.0.0.1:${port}/v1` } },
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function words(messages: z.infer<typeof Asked>["messages"]): string {
  const newest = messages.findLast(({ role }) => role === "user")?.content;
  return typeof newest === "string" ? newest.slice(0, 200) : "";
}

function digest(number: number) {
  const text = {
    history_entry: `[2026-11-15 09:00] Digest number ${number} of the talk.`,
    memory_update: `# Memory\n\n## Facts\n\n- Digest number ${number % 5} was made.\n`,
  };
  const call = { name: "save_memory", arguments: JSON.stringify(text) };
  return { role: "assistant", content: null, tool_calls: [{ id: `d${number}`, type: "function", function: call }] };
}
