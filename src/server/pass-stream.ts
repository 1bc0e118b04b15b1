import { createParser } from "eventsource-parser";
import { describeError, MemoryError } from "../errors.ts";
import type { Answer, AnswerEvent } from "./wire/conversation.ts";
import { createGrowingAnswer } from "./wire/growing-answer.ts";
import { isLookedUp } from "./wire/is-looked-up.ts";
import type { SentEvent, StreamWriter } from "./wire/wire.ts";

/** How an answer ended: whole, because the client left in the middle, or because the provider broke off. */
export type AnswerEnd = "whole" | "left" | "broken";

/** What stands between a provider's stream and a client's. */
export interface StreamBridge {
  read: (event: SentEvent) => AnswerEvent[];
  /** A writer for the client, of an answer with this id, or with one of ours. */
  createWriter: (id?: string) => StreamWriter;
  isTranslated: boolean;
  /** Takes what must not reach a client out of an error. */
  hide: (text: string) => string;
}

/**
 * Passes the provider's events on as they come, byte for byte, or translated. The end is held back until the answer is
 * stored, so that the client's next request finds it.
 */
export async function* passStream(
  body: AsyncIterable<Uint8Array>,
  { read, createWriter, isTranslated, hide }: StreamBridge,
  store: (answer: Answer, end: AnswerEnd) => Promise<void>,
  client: AbortSignal,
): AsyncGenerator<string> {
  const answer = createGrowingAnswer();
  const writer = createWriter();
  let held = "";
  let isStarted = false;
  let hasLookedUp = false;
  let end: AnswerEnd = "left";
  const translate = (events: readonly AnswerEvent[]): string => {
    // Some providers have no event for the beginning; every client waits for one.
    const begin =
      isStarted || events.length === 0 || events[0]?.type === "start" ? "" : writer.write({ type: "start" });
    isStarted ||= events.length > 0;
    return begin + events.map((event) => writer.write(event)).join("");
  };
  try {
    for await (const raw of readEvents(body)) {
      hasLookedUp ||= isLookedUp(raw);
      const sentEvent = parseEvent(raw);
      const events = sentEvent === undefined ? [] : read(sentEvent).map((event) => hideIn(event, hide));
      for (const event of events) answer.add(event);
      // The provider's own error goes on to the client.
      if (answer.hasFailed) end = "broken";
      const isError = events.some(({ type }) => type === "failure") || /^(?:event: ?error|data: ?\{"error")/m.test(raw);
      const sent = isTranslated ? translate(events) : isError ? hide(raw) : raw;
      if (answer.isFinished) held += sent;
      else if (sent !== "") yield sent;
    }
    if (!answer.isFinished && !answer.hasFailed) {
      throw new MemoryError("MODEL_FAILED", "the stream ended before the answer was complete");
    }
    if (!answer.hasFailed) end = "whole";
    if (isTranslated && !answer.hasFailed) held += writer.end();
  } catch (error) {
    // A client that leaves takes the request to the provider with it.
    if (client.aborted) return;
    end = "broken";
    const message = hide(`The model's answer broke off: ${describeError(error)}`);
    // Behind what the provider has written, the failure is that of the provider's answer.
    const failing = isTranslated ? writer : createWriter(answer.read().id);
    yield failing.write({ type: "failure", failure: { status: 502, message, code: "model_failed" } });
  } finally {
    await store({ ...answer.read(), ...(hasLookedUp ? { isLookedUp: true } : {}) }, end);
  }
  if (held !== "") yield held;
}

/** A provider that refuses our key often repeats it. */
function hideIn(event: AnswerEvent, hide: (text: string) => string): AnswerEvent {
  if (event.type !== "failure") return event;
  return { ...event, failure: { ...event.failure, message: hide(event.failure.message) } };
}

/** Cuts a stream of bytes into server-sent events, each with the blank line that ends it. */
async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    for (let gap = /\r?\n\r?\n/.exec(rest); gap; gap = /\r?\n\r?\n/.exec(rest)) {
      const end = gap.index + gap[0].length;
      yield rest.slice(0, end);
      rest = rest.slice(end);
    }
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** What the text of one event says; undefined for a comment. */
function parseEvent(raw: string): SentEvent | undefined {
  let sent: SentEvent | undefined;
  const parser = createParser({ onEvent: ({ event: name, data }) => (sent = { name, data: data.trim() }) });
  // Some providers end the last event with the connection.
  parser.feed(`${raw}\n\n`);
  return sent;
}
