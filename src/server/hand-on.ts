import { describeError } from "../errors.ts";
import { failureResponse } from "./error-response.ts";
import { hideKeys } from "./hide-keys.ts";
import { passStream } from "./pass-stream.ts";
import type { AnswerEnd } from "./pass-stream.ts";
import { writeSessionHeader } from "./session-key.ts";
import type { Upstream } from "./upstream.ts";
import type { Answer } from "./wire/conversation.ts";
import { isLookedUp } from "./wire/is-looked-up.ts";
import { piecesOf } from "./wire/growing-answer.ts";
import { parseIfJson } from "../parse-if-json.ts";
import type { AnswerContext, Wire } from "./wire/wire.ts";

/** A provider's response on its way to the client. */
export interface HandedOn {
  wire: Wire;
  upstream: Upstream;
  response: Response;
  request: Request;
  session: string;
  context: AnswerContext;
  isTranslated: boolean;
  store: (answer: Answer, end: AnswerEnd) => Promise<void>;
  /** Told of what goes on after the response has begun. */
  follow: (work: Promise<unknown>) => void;
  times: { begunMs: number; askedMs: number };
}

/** Hands a provider's response on: as it came, or translated to the client's wire; stored before it is complete. */
export async function handOn(handed: HandedOn): Promise<Response> {
  const { wire, upstream, response, request, session, context, isTranslated, store, times } = handed;
  const type = response.headers.get("content-type") ?? "application/json";
  const headers = { ...passedHeaders(response), "x-tidemark-session": writeSessionHeader(session) };
  const streamed = { ...headers, "content-type": "text/event-stream", "cache-control": "no-cache" };
  const createWriter = (id = context.id) => wire.createWriter({ ...context, id });
  if (response.ok && response.body && type.includes("text/event-stream")) {
    const bridge = {
      read: upstream.wire.createReader(),
      createWriter,
      isTranslated,
      hide: (text: string) => hideKeys(text, upstream),
    };
    const events = passStream(response.body, bridge, store, request.signal);
    const { stream, isOver } = encode(events, request.signal);
    handed.follow(isOver);
    return new Response(stream, {
      headers: { ...streamed, "content-type": isTranslated ? "text/event-stream" : type },
    });
  }
  const answered = await response.text().catch((error: unknown) => ({ error }));
  if (typeof answered === "object") {
    if (response.ok) await store({ parts: [], finish: "stop", usage: undefined }, "broken");
    if (request.signal.aborted) throw answered.error;
    const message = hideKeys(`The model's answer broke off: ${describeError(answered.error)}`, upstream);
    return failureResponse(wire, { status: 502, message, code: "model_failed" }, headers);
  }
  // A provider that refuses our key often repeats it.
  const read = response.ok ? upstream.wire.readAnswer(parseIfJson(answered)) : undefined;
  const answer = read && isLookedUp(answered) ? { ...read, isLookedUp: true as const } : read;
  const text = answer ? answered : hideKeys(answered, upstream);
  const answeredMs = performance.now();
  const body = parseIfJson(text);
  if (answer) await store(answer, "whole");
  const modelMs = answeredMs - times.askedMs;
  const ownMs = performance.now() - times.begunMs - modelMs;
  const timing = { "server-timing": `model;dur=${modelMs.toFixed(1)}, tidemark;dur=${ownMs.toFixed(1)}` };
  // A failure that is sent as if it were an answer; a response tells its own within.
  const isFailure = response.ok && !answer && !wire.tellsFailures && wire.readFailure(body) !== undefined;
  if (!isTranslated && !isFailure) {
    return new Response(text, { status: response.status, headers: { ...headers, ...timing, "content-type": type } });
  }
  if (!answer) return failedResponse(handed, text, body, { ...headers, ...timing });
  if (context.conversation.isStreamed) {
    const writer = createWriter();
    const pieces = piecesOf(answer).map((piece) => writer.write(piece));
    return new Response(pieces.join("") + writer.end(), { headers: streamed });
  }
  return Response.json(wire.writeAnswer(answer, context), { headers: { ...headers, ...timing } });
}

function failedResponse(
  { wire, upstream, response }: HandedOn,
  text: string,
  body: unknown,
  headers: Record<string, string>,
): Response {
  const known = upstream.wire.readFailure(body);
  const message = known?.message ?? `${upstream.id} sent an answer that cannot be read: ${text.slice(0, 300)}`;
  const status = response.ok ? 502 : response.status;
  return failureResponse(wire, { status, message, code: known?.code ?? "model_failed", param: known?.param }, headers);
}

/** What a client needs to know of the provider: how much is left, when to ask again, what to name in a complaint. */
const PASSED_BACK = /^(?:x-ratelimit-|anthropic-ratelimit-|retry-after|x-should-retry$|x-request-id$|request-id$)/;

function passedHeaders(response: Response): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => PASSED_BACK.test(name)));
}

/** The bytes of events, and a promise of their end: the last is sent, or the client has left and what it heard is stored. */
function encode(
  events: AsyncGenerator<string>,
  client: AbortSignal,
): { stream: ReadableStream<Uint8Array>; isOver: Promise<void> } {
  const encoder = new TextEncoder();
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const leave = async (): Promise<void> => {
    await events.return(undefined).finally(end);
  };
  // Also of a client that left before anything was read.
  const onLeave = (): void => void leave().catch(() => undefined);
  if (client.aborted) onLeave();
  else client.addEventListener("abort", onLeave, { once: true });
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await events.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        end();
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: leave,
  });
  return { stream, isOver };
}
