import type { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { AnswerSetup } from "./answer-request.ts";
import { countTokens } from "./count-tokens.ts";
import { answerEmbeddings } from "./answer-embeddings.ts";
import { errorResponse } from "./error-response.ts";
import { takeTurn } from "./take-turn.ts";
import { hasModel, listModels } from "./upstream.ts";
import { readOpenAiFailure } from "./wire/chat/chat-answer.ts";
import { writeMessagesFailure } from "./wire/messages/messages-answer.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { WIRES } from "./wire/wires.ts";

/** Adds the endpoints that the clients of OpenAI and Anthropic know. */
export function addV1Routes(app: Hono, setup: AnswerSetup): void {
  const { memory } = setup;
  app.post("/v1/chat/completions", (context) => takeTurn(setup, WIRES.chat, context));
  app.post("/v1/responses", (context) => takeTurn(setup, WIRES.responses, context));
  app.post("/v1/messages", (context) => takeTurn(setup, WIRES.messages, context));
  app.post("/v1/messages/count_tokens", ({ req }) => countTokens(req.raw));
  app.post("/v1/embeddings", ({ req }) => answerEmbeddings(memory, req.raw));
  app.post("/v1/completions", () =>
    errorResponse(404, "Completions of a bare prompt are not served: use /v1/chat/completions", "endpoint_gone"),
  );
  app.get("/v1/models", (context) => {
    const data = listModels(memory.config).map(describeModel);
    // OpenAI's clients read the list alone, Anthropic's the rest as well.
    return context.json({ object: "list", data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id });
  });
  app.get("/v1/models/:id{.+}", (context) => {
    const id = context.req.param("id");
    if (hasModel(memory.config, id)) return context.json(describeModel(id));
    return errorResponse(404, `The model ${JSON.stringify(id)} does not exist here`, "model_not_found", "model");
  });
}

/** A model as the clients of both know it. */
function describeModel(id: string) {
  const created_at = "1970-01-01T00:00:00Z";
  return { id, object: "model", created: 0, owned_by: "tidemark", type: "model", display_name: id, created_at };
}

/** Brings a failure into the form of the endpoint's clients, whoever found it. */
export async function inFormOf(request: Request, response: Response): Promise<Response> {
  const path = getPath(request);
  // Both kinds of clients ask for models.
  const isAnthropic =
    path.startsWith("/v1/messages") || (path.startsWith("/v1/models") && request.headers.has("anthropic-version"));
  if (response.status < 400 || !isAnthropic) return response;
  const text = await response.text();
  const known = readOpenAiFailure(parseIfJson(text));
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const body = text.startsWith('{"type":"error"') || !known ? text : undefined;
  if (body !== undefined) return new Response(body, { status: response.status, headers });
  const failure = { status: response.status, message: known?.message ?? "" };
  return new Response(JSON.stringify(writeMessagesFailure(failure)), { status: response.status, headers });
}
