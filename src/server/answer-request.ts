import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { BegunTurn, ClientTalk } from "../door/client-talk.ts";
import { checkScope } from "../door/check-scope.ts";
import { withoutHarness } from "../door/without-harness.ts";
import { isHousekeeping } from "../door/is-housekeeping.ts";
import { buildMemoryPrompt, recallFor } from "../door/memory-prompt.ts";
import { describeError, MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import type { MessageInput } from "../session/message.ts";
import type { Clock } from "../time.ts";
import { startTrace } from "../trace.ts";
import { callerKey } from "./caller-key.ts";
import { findContinued } from "./find-continued.ts";
import { failureResponse } from "./error-response.ts";
import { handOn } from "./hand-on.ts";
import { hideKeys } from "./hide-keys.ts";
import type { AnswerEnd } from "./pass-stream.ts";
import { readJson } from "./read-json.ts";
import { resolveReferences } from "./resolve-references.ts";
import { namedSession, sessionByWords } from "./session-key.ts";
import type { SpendBook } from "./spend-book.ts";
import type { Caller } from "./tokens.ts";
import type { Turn } from "./turns.ts";
import { findUpstream } from "./upstream.ts";
import type { Upstream } from "./upstream.ts";
import type { Watch } from "./watch.ts";
import type { Answer, AnswerUsage, Conversation, Failure } from "./wire/conversation.ts";
import { wordsOf } from "./wire/conversation.ts";
import { answerMessage, spokenMessages } from "./wire/session-messages.ts";
import type { Untranslatable, Wire } from "./wire/wire.ts";

/** What answering a request needs. */
export interface AnswerSetup {
  memory: Memory;
  talk: ClientTalk;
  spend: SpendBook;
  /** Whether the caller's key may be handed on to a provider that has none configured. */
  passesKeys: boolean;
  fetch: typeof fetch;
  now: Clock;
  /** Who asks, and what they may. */
  callerOf: (request: Request) => Caller;
  watch: Watch;
}

const Body = z.record(z.string(), z.unknown());

/**
 * Answers a request over any of the wires: memory is added to the system prompt, what is new is stored before the model
 * is asked, and the answer before it is complete. Where client and provider speak one wire, everything else goes through
 * as it came, in both directions; else it is translated.
 */
export async function answerRequest(setup: AnswerSetup, wire: Wire, request: Request, turn: Turn): Promise<Response> {
  const begunMs = performance.now();
  const caller = setup.callerOf(request);
  if (!caller.canWrite)
    return failureResponse(wire, {
      status: 403,
      message: "This token may only read, and a chat is stored",
      code: "path_refused",
    });
  const read = readRequest(wire, await readJson(request));
  if ("status" in read) return failureResponse(wire, read);
  const { raw } = read;
  const key = setup.passesKeys ? callerKey(request) : undefined;
  const upstream = findUpstream(setup.memory.config, { model: read.conversation.model, wire: wire.name, key });
  if ("status" in upstream) return failureResponse(wire, upstream);
  const lost = wire === upstream.wire ? undefined : wire.findUntranslatable(raw);
  if (lost) return failureResponse(wire, refusal(lost, upstream));
  await setup.spend.check();
  const { scope } = caller;
  const named = namedSession(request.headers, raw);
  const resolved = wire.keepsAnswers ? await resolveReferences(setup.memory, raw, { named, scope }) : { body: raw };
  // A provider that keeps its answers knows better what is referred to; but not whose they are.
  if ("failure" in resolved && (wire !== upstream.wire || scope !== undefined))
    return failureResponse(wire, resolved.failure);
  const whole = "failure" in resolved ? raw : resolved.body;
  const conversation = whole === raw ? read.conversation : wire.readRequest(whole);
  const sending = wire === upstream.wire ? raw : whole;
  const asked = await prepare(setup, { wire, upstream, request, named, conversation, raw: sending, scope });
  if ("status" in asked) return failureResponse(wire, asked);
  const { session, isRecorded, id } = asked;
  const sent = JSON.stringify(asked.body);
  const askedMs = performance.now();
  setup.watch.metrics?.noteOverhead(wire.name, (askedMs - begunMs) / 1000);
  const call = await startTrace("model", { "gen_ai.operation.name": "chat", "gen_ai.request.model": upstream.id });
  const response = await call
    .within(() => ask(setup, upstream, sent, request))
    .catch((error: unknown) => {
      // The client has left, and the provider has the request.
      setup.spend.add(upstream.id, estimateUsage(sent, { role: "assistant", content: null }));
      call.end(error);
      throw error;
    });
  if (response instanceof MemoryError) {
    call.end(response);
    const message = hideKeys(response.message, upstream);
    return failureResponse(wire, { status: 502, message, code: "model_failed" });
  }
  if (!response.ok) call.end(`${response.status}`);
  const store = async (answer: Answer, end: AnswerEnd): Promise<void> => {
    const message = answerMessage(answer.parts);
    const usage = usageOf(answer, end, estimateUsage(sent, message));
    call.set({ "gen_ai.usage.input_tokens": usage.inputTokens, "gen_ai.usage.output_tokens": usage.outputTokens });
    call.end(end === "broken" ? "broke off" : undefined);
    // Paid for, whether it can be kept or not.
    setup.spend.add(upstream.id, usage);
    // Half an answer that the provider broke off is no answer; one that the client stopped was read by someone.
    if (end === "broken") return;
    const itemIds = !asked.isTranslated && answer.itemIds?.length ? { item_ids: answer.itemIds } : {};
    const responseId = wire.keepsAnswers ? { response_id: asked.isTranslated ? id : answer.id, ...itemIds } : {};
    const stopped = end === "left" ? { stopped: true } : {};
    const origin = answer.isLookedUp ? { origin: "untrusted" } : {};
    if (isRecorded)
      await setup.talk.answer(
        session,
        { ...message, model: upstream.id, ...responseId, ...stopped, ...origin },
        asked.begun,
      );
    turn.outcome = end === "left" ? "stopped" : "answered";
  };
  const created = Math.floor(setup.now().getTime() / 1000);
  const context = { id, model: conversation.model ?? upstream.id, created, conversation };
  const times = { begunMs, askedMs };
  return handOn({
    wire,
    upstream,
    response,
    request,
    session,
    context,
    isTranslated: asked.isTranslated,
    store,
    follow: (work) => turn.follow(work),
    times,
  });
}

function refusal({ param, why }: Untranslatable, { wire }: Upstream): Failure {
  const message = `${param}: the API of the provider behind this server (${wire.name}) ${why}`;
  return { status: 400, message, code: "unsupported_parameter", param };
}

function readRequest(
  wire: Wire,
  body: unknown,
): { conversation: Conversation; raw: Record<string, unknown> } | Failure {
  const raw = Body.safeParse(body).data;
  if (raw === undefined) return { status: 400, message: "The body is not a JSON object", code: "invalid_request" };
  try {
    const conversation = wire.readRequest(raw);
    // What cannot be added to is found before anything is stored.
    wire.addMemory(raw, { section: "x", recalled: "x" });
    return { conversation, raw: withoutOrigin(raw) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    const param = issue?.path.join(".") || null;
    const message = `${param ?? "The body"}: ${issue?.message ?? "is not valid"}`;
    return { status: 400, message, code: "invalid_request", param };
  }
}

/** What we are told of a message's origin is no field that providers know. */
function withoutOrigin(raw: Record<string, unknown>): Record<string, unknown> {
  const messages = z.array(z.looseObject({ origin: z.unknown().optional() })).safeParse(raw["messages"]).data;
  if (!messages?.some((message) => "origin" in message)) return raw;
  const known = messages.map((message) => {
    const { origin: _, ...rest } = message;
    return rest;
  });
  return { ...raw, messages: known };
}

interface Wanted {
  wire: Wire;
  upstream: Upstream;
  request: Request;
  /** The session that the request names. */
  named: string | undefined;
  conversation: Conversation;
  raw: Record<string, unknown>;
  /** Whose memory the caller may see; undefined for all of it. */
  scope: string | undefined;
}

interface Prepared {
  session: string;
  begun: BegunTurn;
  isRecorded: boolean;
  isTranslated: boolean;
  id: string;
  body: Record<string, unknown>;
}

/** Finds the session, stores what is new in it, and makes the request for the provider. */
async function prepare(setup: AnswerSetup, wanted: Wanted): Promise<Prepared | Failure> {
  const { wire, upstream, request, named, conversation, raw } = wanted;
  const { memory } = setup;
  const continued = wire.keepsAnswers ? await findContinued(memory, raw, wanted) : undefined;
  // A provider that keeps its answers knows better what went before; but not whose it is.
  const isKept = upstream.wire.keepsAnswers && wanted.scope === undefined;
  if (continued && "status" in continued && !isKept) return continued;
  const before = continued && "turns" in continued ? continued : undefined;
  const spoken = withoutHarness(spokenMessages(conversation));
  const session =
    before?.session ?? named ?? wanted.scope ?? (await sessionByWords(spoken, (key) => memory.hasSession(key)));
  if (wanted.scope !== undefined) checkScope(memory, wanted.scope, session);
  const isChore = isHousekeeping(shapeOf(conversation));
  const isRecorded = request.headers.get("x-tidemark-record") !== "off" && !isChore;
  // Clients count their retries; the answer to an earlier try may be on the disk, and lost on the way.
  const isRetry = Number(request.headers.get("x-stainless-retry-count") ?? 0) > 0;
  const begun = await setup.talk.begin();
  if (isRecorded) await setup.talk.hear(session, spoken, isRetry);
  const id = `${wire.idPrefix}${randomUUID().replaceAll("-", "")}`;
  const body = isChore ? raw : wire.addMemory(raw, await additionFor(memory, session, spoken));
  if (wire === upstream.wire) {
    return { session, begun, isRecorded, isTranslated: false, id, body: { ...body, model: upstream.modelId } };
  }
  const whole = wire.readRequest(body);
  const [first] = whole.turns;
  const lead = first?.role === "system" ? [first] : [];
  const turns = before ? [...lead, ...before.turns, ...whole.turns.slice(lead.length)] : whole.turns;
  const translated = upstream.wire.writeRequest({ ...whole, model: upstream.modelId, turns });
  return { session, begun, isRecorded, isTranslated: true, id, body: translated };
}

async function additionFor(memory: Memory, session: string, spoken: readonly MessageInput[]) {
  return { section: await buildMemoryPrompt(memory, session), recalled: await recallFor(memory, session, spoken) };
}

function shapeOf({ turns, tools, maxTokens }: Conversation): Parameters<typeof isHousekeeping>[0] {
  const system = turns.flatMap((turn) => (turn.role === "system" ? [wordsOf(turn.parts)] : [])).join("\n");
  const last = turns.findLast(({ role }) => role !== "system");
  return {
    system,
    newest: last?.role === "user" ? wordsOf(last.parts) : "",
    hasTools: tools.length > 0,
    hasAnswers: turns.some(({ role }) => role === "assistant"),
    maxTokens,
  };
}

/** Headers of a client that mean something to the provider whose wire it speaks. */
const PASSED_ON = ["anthropic-version", "anthropic-beta", "openai-beta", "openai-organization", "openai-project"];

async function ask(
  setup: AnswerSetup,
  { url, headers, id }: Upstream,
  body: string,
  { headers: given, signal }: Request,
): Promise<Response | MemoryError> {
  const passed = PASSED_ON.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? ""] as const] : []));
  try {
    return await setup.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers, ...Object.fromEntries(passed) },
      body,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return new MemoryError("MODEL_FAILED", `${id} cannot be reached: ${describeError(cause)}`, { cause: error });
  }
}

/** What an answer took. What a provider reported of one that did not come to its end may be from its beginning. */
function usageOf({ usage }: Answer, end: AnswerEnd, estimate: AnswerUsage): AnswerUsage {
  if (!usage || end === "whole") return usage ?? estimate;
  return { ...usage, outputTokens: Math.max(usage.outputTokens, estimate.outputTokens) };
}

/** A provider that reports nothing must not look free. */
function estimateUsage(body: string, message: MessageInput): AnswerUsage {
  return { inputTokens: roughTokens(body), outputTokens: roughTokens(JSON.stringify(message)), cachedTokens: 0 };
}

function roughTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
