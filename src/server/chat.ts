import type { ClientTalk } from "../door/client-talk.ts";
import { checkScope } from "../door/check-scope.ts";
import { describeError, MemoryError } from "../errors.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { Memory } from "../memory.ts";
import { buildMemoryPrompt, recallFor } from "../door/memory-prompt.ts";
import { readAnswer } from "./answer.ts";
import type { Answer, AnswerUsage } from "./answer.ts";
import { ChatRequest, sessionOf, spokenMessages, withMemoryPrompt } from "./chat-request.ts";
import { errorResponse } from "./error-response.ts";
import { passStream } from "./pass-stream.ts";
import type { Caller } from "./tokens.ts";
import type { SpendBook } from "./spend-book.ts";
import { findUpstream } from "./upstream.ts";
import type { Upstream } from "./upstream.ts";

/** What answering a chat request needs. */
export interface ChatWorld {
  memory: Memory;
  talk: ClientTalk;
  spend: SpendBook;
  /** Whether the caller's key may be handed on to a provider that has none configured. */
  passesKeys: boolean;
  fetch: typeof fetch;
}

/**
 * Answers `/v1/chat/completions`: memory is added to the system prompt, what is new is stored before the model is asked,
 * and the answer before it is complete. Everything else goes through as it came, in both directions.
 */
export async function answerChat(world: ChatWorld, request: Request, caller: Caller): Promise<Response> {
  const begunMs = performance.now();
  const parsed = ChatRequest.safeParse(await readJson(request));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join(".") || null;
    return errorResponse(400, `${param ?? "The body"}: ${issue?.message ?? "is not valid"}`, "invalid_request", param);
  }
  const chat = parsed.data;
  const key = sessionOf(chat, request.headers.get("x-tidemark-session") ?? undefined, caller.scope);
  if (caller.scope !== undefined) checkScope(world.memory, caller.scope, key);
  if (!caller.canWrite) return errorResponse(403, "This token may only read; a chat is stored", "path_refused");
  const isRecorded = request.headers.get("x-tidemark-record") !== "off";
  const upstream = findUpstream(world.memory.config, chat.model, clientKey(world, request));
  await world.spend.check();
  const spoken = spokenMessages(chat);
  // OpenAI's clients count their retries; the answer to an earlier try may be on the disk, and lost on the way.
  const isRetry = Number(request.headers.get("x-stainless-retry-count") ?? 0) > 0;
  if (isRecorded) await world.talk.hear(key, spoken, isRetry);
  const body = JSON.stringify({
    ...chat,
    model: upstream.modelId,
    messages: await addMemory(world.memory, key, chat, spoken),
  });
  const askedMs = performance.now();
  const response = await ask(world, upstream, body, request.signal);
  if (response instanceof MemoryError) return errorResponse(502, hideKeys(response.message, upstream), "model_failed");
  const store = async ({ message, usage }: Answer, isStopped: boolean): Promise<void> => {
    if (isRecorded) {
      await world.talk.answer(key, { ...message, model: upstream.id, ...(isStopped ? { stopped: true } : {}) });
    }
    world.spend.add(upstream.id, usage ?? estimateUsage(body, message));
  };
  const headers = { "content-type": response.headers.get("content-type") ?? "application/json", ...sessionHeader(key) };
  if (response.ok && response.body && headers["content-type"].includes("text/event-stream")) {
    const events = passStream(response.body, (answer, end) => store(answer, end === "left"), request.signal);
    return new Response(encode(events), { headers: { ...headers, "cache-control": "no-cache" } });
  }
  const text = await response.text();
  const answeredMs = performance.now();
  const answer = response.ok ? readAnswer(text) : undefined;
  if (answer) await store(answer, false);
  const ownMs = performance.now() - begunMs - (answeredMs - askedMs);
  const timing = `model;dur=${(answeredMs - askedMs).toFixed(1)}, tidemark;dur=${ownMs.toFixed(1)}`;
  // A provider that refuses our key often repeats it.
  return new Response(response.ok ? text : hideKeys(text, upstream), {
    status: response.status,
    headers: { ...headers, ...retryHeaders(response), "server-timing": timing },
  });
}

/** An error of a provider without the keys that it was sent, whatever they look like. */
function hideKeys(text: string, { headers }: Upstream): string {
  const sent = Object.values(headers).flatMap((value) => [value, value.replace(/^Bearer /, "")]);
  const hidden = sent
    .filter((value) => value.length >= 6)
    .reduce((rest, value) => rest.replaceAll(value, "[masked: key]"), text);
  return maskSecrets(hidden);
}

async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function clientKey({ passesKeys }: ChatWorld, request: Request): string | undefined {
  if (!passesKeys) return undefined;
  return /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

async function addMemory(
  memory: Memory,
  key: string,
  chat: ChatRequest,
  spoken: ReturnType<typeof spokenMessages>,
): Promise<ChatRequest["messages"]> {
  const messages = withMemoryPrompt(chat.messages, await buildMemoryPrompt(memory, key));
  const recalled = await recallFor(memory, key, spoken);
  const last = messages.at(-1);
  if (recalled === undefined || last === undefined) return messages;
  const content = Array.isArray(last.content)
    ? [{ type: "text", text: recalled }, ...last.content]
    : `${recalled}\n\n${last.content ?? ""}`;
  return [...messages.slice(0, -1), { ...last, content }];
}

async function ask(
  world: ChatWorld,
  { url, headers, id }: Upstream,
  body: string,
  signal: AbortSignal,
): Promise<Response | MemoryError> {
  try {
    return await world.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return new MemoryError("MODEL_FAILED", `${id} cannot be reached: ${describeError(cause)}`, { cause: error });
  }
}

/** A provider that reports nothing must not look free. */
function estimateUsage(body: string, message: Answer["message"]): AnswerUsage {
  return { inputTokens: roughTokens(body), outputTokens: roughTokens(JSON.stringify(message)), cachedTokens: 0 };
}

function roughTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

function sessionHeader(key: string): Record<string, string> {
  // Header values are Latin-1; keys need not be.
  return { "x-tidemark-session": encodeURIComponent(key).replaceAll("%3A", ":") };
}

function retryHeaders(response: Response): Record<string, string> {
  const names = ["retry-after", "retry-after-ms", "x-should-retry", "x-request-id"];
  return Object.fromEntries(
    names.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name) ?? ""]] : [])),
  );
}

function encode(events: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await events.return(undefined);
    },
  });
}
