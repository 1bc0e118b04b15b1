import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { CHAT, MESSAGES, RESPONSES } from "../server/scripted-provider.ts";

/** A model on the loopback for real clients: it speaks the three APIs and Google's, and says what the script says. */
export async function startModel(script: (asked: string) => string) {
  const requests: { path: string; body: string }[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const body = await readText(request);
    if (request.method !== "POST")
      return void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ data: [], models: [] }));
    requests.push({ path, body });
    const text = script(body);
    if (path.includes("count_tokens")) return void response.writeHead(200, JSON_TYPE).end('{"input_tokens":10}');
    if (path.includes("enerateContent")) return answerAsGoogle(path, text, response);
    const wire = path.includes("/messages")
      ? MESSAGES
      : path.includes("/responses")
        ? RESPONSES
        : path.includes("/completions")
          ? CHAT
          : undefined;
    if (!wire) return void response.writeHead(200, JSON_TYPE).end("{}");
    if (!body.includes('"stream":true'))
      return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(wire.whole({ text })));
    response.writeHead(200, { "content-type": "text/event-stream" }).end(wire.events({ text }).join(""));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const JSON_TYPE = { "content-type": "application/json" };

function answerAsGoogle(path: string, text: string, response: ServerResponse): void {
  const whole = {
    candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: "gemini-2.5-pro",
  };
  if (!path.includes("stream")) return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(whole));
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(whole)}\n\n`);
}
