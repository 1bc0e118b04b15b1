import type { Hono } from "hono";
import { errorResponse } from "./error-response.ts";
import type { Metrics } from "./metrics.ts";
import type { Reach } from "./reach.ts";
import type { Caller } from "./tokens.ts";
import type { Turns } from "./turns.ts";

const NEVER_KEPT = { "cache-control": "no-store" };

/**
 * Adds what those ask who look after the server, and have no token: whether it is alive, and whether it should be sent
 * requests. Both tell nothing else, whoever asks, and by whatever name.
 */
export function addProbes(app: Hono, { turns, reach }: { turns: Turns; reach: Reach }): void {
  app.get("/healthz", () => answer("ok", 200));
  app.get("/readyz", async () => {
    if (turns.isDraining) return answer("draining", 503);
    return (await reach.isReached()) ? answer("ok", 200) : answer("store unreachable", 503);
  });
}

function answer(status: string, code: 200 | 503): Response {
  return Response.json({ status }, { status: code, headers: NEVER_KEPT });
}

/** Adds the figures for Prometheus; they tell of everyone, so that whoever may see only a part gets none. */
export function addMetricsRoute(app: Hono, metrics: Metrics, callerOf?: (request: Request) => Caller): void {
  app.get("/metrics", async ({ req }) => {
    if (callerOf && callerOf(req.raw).scope !== undefined)
      return errorResponse(403, "The figures tell of everyone: they need a token for all of the workspace", "refused");
    const { type, text } = await metrics.render();
    return new Response(text, { headers: { ...NEVER_KEPT, "content-type": type } });
  });
}
