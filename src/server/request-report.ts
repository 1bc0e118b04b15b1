import { randomUUID } from "node:crypto";
import { ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";

/** One request, as it may be told: by its route and never by its address, which holds names and words. */
export interface RequestReport {
  id: string;
  method: string;
  route: string;
  status: number;
  ms: number;
  /** The client had left before it was answered. */
  isLeft: boolean;
}

// What is thrown becomes an answer, unless there is nobody left to answer; other servers write this down then.
const CLIENT_LEFT = 499;
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Tells of each request once the last byte is sent, and gives the answer the name that it is told by. */
export function reportRequests(onRequest: (report: RequestReport) => void): MiddlewareHandler {
  return async (context, next) => {
    const begun = performance.now();
    const sent = outgoingOf(context);
    const { method } = context.req;
    const report = (id: string, status: number): void =>
      onRequest({
        id,
        method: METHODS.has(method) ? method : "other",
        route: routeOf(context),
        status,
        ms: performance.now() - begun,
        isLeft: sent !== undefined && !sent.writableFinished,
      });
    try {
      await next();
    } catch (error) {
      report(randomUUID(), CLIENT_LEFT);
      throw error;
    }
    // A provider's name for its answer is what a complaint to the provider needs.
    const given = context.res.headers.get("x-request-id");
    const id = given !== null && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
    if (given === null) context.header("x-request-id", id);
    const { status } = context.res;
    if (sent === undefined || sent.destroyed) report(id, status);
    else sent.once("close", () => report(id, status));
  };
}

/** Where the answer to a request goes, when it comes over HTTP. */
export function outgoingOf({ env }: Context): ServerResponse | undefined {
  if (typeof env !== "object" || env === null || !("outgoing" in env)) return undefined;
  return env.outgoing instanceof ServerResponse ? env.outgoing : undefined;
}

/** The pattern that a path matched; paths of no route share one name, so that strangers cannot make up many. */
function routeOf(context: Context): string {
  const path = matchedRoutes(context).findLast((route) => route.path !== "/*")?.path ?? "none";
  return path.startsWith("/assets/") ? "/assets/*" : path;
}
