import { describeError, MemoryError } from "../errors.ts";
import { createGrowingAnswer } from "./answer.ts";
import type { Answer } from "./answer.ts";

/** How a stream ended: whole, or because the client left in the middle. */
export type StreamEnd = "whole" | "left";

/**
 * Passes the provider's events on as they come, byte for byte. The end is held back until the answer is stored, so that
 * the client's next request finds it.
 */
export async function* passStream(
  body: AsyncIterable<Uint8Array>,
  store: (answer: Answer, end: StreamEnd) => Promise<void>,
  client: AbortSignal,
): AsyncGenerator<string> {
  const answer = createGrowingAnswer();
  let held = "";
  let end: StreamEnd | "broken" = "left";
  try {
    for await (const event of readEvents(body)) {
      answer.add(event);
      // The provider's own error goes on to the client as it came.
      if (answer.hasFailed) end = "broken";
      if (answer.isFinished) held += event;
      else yield event;
    }
    if (!answer.isFinished && !answer.hasFailed) {
      throw new MemoryError("MODEL_FAILED", "the stream ended before the answer was complete");
    }
    if (!answer.hasFailed) end = "whole";
  } catch (error) {
    // A client that leaves takes the request to the provider with it.
    if (client.aborted) return;
    end = "broken";
    const message = `The model's answer broke off: ${describeError(error)}`;
    yield `data: ${JSON.stringify({ error: { message, type: "server_error", param: null, code: "model_failed" } })}\n\n`;
  } finally {
    // Half an answer that the provider broke off is no answer; one that the client stopped was read by someone.
    if (end !== "broken") await store(answer.read(), end);
  }
  if (held !== "") yield held;
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
