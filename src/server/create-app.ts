import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { z } from "zod";
import { createClientTalk } from "../door/client-talk.ts";
import { describeError, MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { OPERATIONS } from "./api.ts";
import type { Operation } from "./api.ts";
import { runFor } from "./run-for.ts";
import { findCaller } from "./tokens.ts";
import type { Caller } from "./tokens.ts";
import { errorResponse, responseFor } from "./error-response.ts";
import { isKnownOrigin, refuse } from "./guard.ts";
import type { GuardOptions } from "./guard.ts";
import type { Inspector } from "./inspector/open-inspector.ts";
import { buildOpenApi } from "./build-open-api.ts";
import { addMetricsRoute, addProbes } from "./probes.ts";
import { reportRequests } from "./request-report.ts";
import { createSpendBook } from "./spend-book.ts";
import { addV1Routes, inFormOf } from "./v1-routes.ts";
import { createWatch } from "./watch.ts";
import type { Watch } from "./watch.ts";

/** What a server is made of. */
export interface AppOptions extends GuardOptions {
  version: string;
  /** Serves MCP under /mcp. */
  mcp?: ((request: Request, caller: Caller) => Promise<Response>) | undefined;
  /** The memory in a browser, at /. */
  inspector?: Inspector | undefined;
  /** The largest body that is read. */
  maxBodyBytes?: number | undefined;
  /** Told of what went wrong inside. */
  onError?: ((text: string) => void) | undefined;
  fetch?: typeof fetch | undefined;
  /** What is seen of the server by those who look after it. */
  watch?: Watch | undefined;
}

// Pictures come inside of messages.
const LARGEST_BODY_BYTES = 32 * 1024 * 1024;

/** What scripts of a page may read of an answer. */
const EXPOSED = [
  "mcp-session-id",
  "mcp-protocol-version",
  "www-authenticate",
  "retry-after",
  "x-request-id",
  "x-tidemark-session",
];
const now = (): Date => new Date();

/** An app that can be served. */
export interface App extends Hono {
  /** Writes down what is not on the disk yet. */
  finish(): Promise<void>;
}

/** Makes the HTTP face of a memory: endpoints for the clients of OpenAI and Anthropic, a JSON API, and MCP. */
export function createApp(memory: Memory, options: AppOptions): App {
  const app = new Hono();
  const maxSize = options.maxBodyBytes ?? LARGEST_BODY_BYTES;
  const watch = options.watch ?? createWatch(memory);
  const { metrics } = watch;
  const spend = createSpendBook(
    memory,
    now,
    (error) => options.onError?.(describeError(error)),
    (model, usage, cost) => metrics?.noteSpend(model, usage, cost),
  );
  const setup = {
    memory,
    spend,
    talk: createClientTalk(memory),
    // With a token of ours, the caller's bearer is that token: it is no business of a provider's.
    passesKeys: options.token === undefined && options.tokens === undefined,
    fetch: options.fetch ?? fetch,
    now,
    watch,
  };
  app.onError((error) => {
    if (error instanceof MemoryError) metrics?.noteFailure(error.code);
    const known = responseFor(error);
    if (known) return known;
    options.onError?.(describeError(error));
    return errorResponse(500, "Something went wrong; see the server's log", "internal_error");
  });
  app.notFound(({ req }) => errorResponse(404, `There is nothing at ${req.method} ${req.path}`, "not_found"));
  app.use(reportRequests((report) => watch.onRequest(report)));
  addProbes(app, watch);
  app.use(cors({ origin: (origin) => (isKnownOrigin(origin, options) ? origin : null), exposeHeaders: EXPOSED }));
  // There is no sign-in here: clients that look for one are to ask their user for the token.
  app.all("/.well-known/*", (context) => context.notFound());
  app.use(async (context, next) => {
    await next();
    context.res = await inFormOf(context.req.raw, context.res);
  });
  const { inspector } = options;
  const isWelcome = (request: Request) => inspector?.isWelcome(request) ?? false;
  app.use(async ({ req }, next) => {
    const open = { ...options, token: undefined, tokens: undefined };
    const isOpen = isWelcome(req.raw) || (watch.areMetricsOpen && req.path === "/metrics");
    const refused = refuse(req.raw, isOpen ? open : options);
    return refused ?? inspector?.refuseChange(req.raw) ?? next();
  });
  app.use(
    bodyLimit({
      maxSize,
      onError: () => errorResponse(413, `The body is larger than ${maxSize} bytes`, "body_too_large"),
    }),
  );
  const callerOf = (request: Request): Caller => {
    // Whoever holds the page's cookie was let in with the server's own token.
    if (isWelcome(request)) return { scope: undefined, canWrite: true };
    return findCaller(request, options.token, options.tokens) ?? { scope: "", canWrite: false };
  };
  addV1Routes(app, { ...setup, callerOf });
  const operations = [...OPERATIONS, ...(inspector?.operations ?? [])];
  for (const operation of operations) addOperation(app, memory, operation, callerOf);
  inspector?.addTo(app, callerOf);
  app.get("/openapi.json", (context) => context.json(buildOpenApi(options.version, operations)));
  if (metrics) addMetricsRoute(app, metrics, watch.areMetricsOpen ? undefined : callerOf);
  app.get("/health", (context) => context.json({ status: "ok" }));
  const { mcp } = options;
  if (mcp) app.on("ALL", ["/mcp", "/mcp/"], ({ req }) => mcp(req.raw, callerOf(req.raw)));
  return Object.assign(app, { finish: () => spend.write() });
}

function addOperation(app: Hono, memory: Memory, operation: Operation, callerOf: (request: Request) => Caller): void {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
  app.on(operation.method.toUpperCase(), path, async ({ req }) => {
    try {
      const body = operation.body === undefined ? undefined : JSON.parse((await req.text()) || "{}");
      const asked = { params: req.param(), query: req.query(), body };
      return Response.json(await runFor(callerOf(req.raw), memory, operation, asked));
    } catch (error) {
      if (error instanceof SyntaxError) return errorResponse(400, "The body is not valid JSON", "invalid_request");
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      const param = issue?.path.join(".") || null;
      return errorResponse(400, describeError(error), "invalid_request", param);
    }
  });
}
