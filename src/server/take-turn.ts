import type { Context } from "hono";
import { startTrace } from "../trace.ts";
import { answerRequest } from "./answer-request.ts";
import type { AnswerSetup } from "./answer-request.ts";
import { failureResponse } from "./error-response.ts";
import { outgoingOf } from "./request-report.ts";
import type { Wire } from "./wire/wire.ts";

// Whoever asks again is sent to a server that stays.
const RETRY_AFTER_S = 1;

/** Answers one turn and knows when it is over, which may be long after its response has begun; none while we stop. */
export async function takeTurn(setup: AnswerSetup, wire: Wire, context: Context): Promise<Response> {
  const { turns, metrics } = setup.watch;
  const request = context.req.raw;
  const turn = turns.begin();
  if (turn === undefined) {
    metrics?.noteTurn(wire.name, "refused");
    const failure = { status: 503, message: "This server is stopping; ask again", code: "draining" };
    return failureResponse(wire, failure, { "retry-after": String(RETRY_AFTER_S), connection: "close" });
  }
  const trace = await startTrace("turn", { "tidemark.wire": wire.name }, request.headers);
  const finish = async (failure?: unknown): Promise<void> => {
    await turn.end();
    metrics?.noteTurn(wire.name, turn.outcome);
    trace.set({ "tidemark.outcome": turn.outcome });
    trace.end(failure ?? (turn.outcome === "failed" ? "failed" : undefined));
  };
  try {
    const response = await trace.within(() => answerRequest(setup, wire, request, turn));
    const sent = outgoingOf(context);
    if (sent === undefined || sent.destroyed) await finish();
    else sent.once("close", () => void finish());
    return response;
  } catch (error) {
    await finish(error);
    throw error;
  }
}
