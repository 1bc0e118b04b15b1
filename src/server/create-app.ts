import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { z } from "zod";
import { createClientTalk } from "../door/client-talk.ts";
import { describeError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import { OPERATIONS } from "./api.ts";
import type { Operation } from "./api.ts";
import { answerChat } from "./chat.ts";
import { errorResponse, responseFor } from "./error-response.ts";
import { refuse } from "./guard.ts";
import type { GuardOptions } from "./guard.ts";
import type { Inspector } from "./inspector/open-inspector.ts";
import { buildOpenApi } from "./openapi.ts";
import { createSpendBook } from "./spend-book.ts";
import { listModels } from "./upstream.ts";

/** What a server is made of. */
export interface AppOptions extends GuardOptions {
  version: string;
  /** Serves MCP under /mcp. */
  mcp?: ((request: Request) => Promise<Response>) | undefined;
  /** The memory in a browser, at /. */
  inspector?: Inspector | undefined;
  /** The largest body that is read. */
  maxBodyBytes?: number | undefined;
  /** Told of what went wrong inside. */
  onError?: ((text: string) => void) | undefined;
  fetch?: typeof fetch | undefined;
}

// Pictures come inside of messages.
const LARGEST_BODY_BYTES = 32 * 1024 * 1024;

/** An app that can be served. */
export interface App extends Hono {
  /** Writes down what is not on the disk yet. */
  finish(): Promise<void>;
}

/** Makes the HTTP face of a memory: an OpenAI-compatible endpoint, a JSON API, and MCP. */
export function createApp(memory: Memory, options: AppOptions): App {
  const app = new Hono();
  const maxSize = options.maxBodyBytes ?? LARGEST_BODY_BYTES;
  const origins = [...(options.allowedOrigins ?? [])];
  const spend = createSpendBook(
    memory,
    () => new Date(),
    (error) => options.onError?.(describeError(error)),
  );
  const chat = {
    memory,
    spend,
    talk: createClientTalk(memory),
    // With a token of ours, the caller's bearer is that token: it is no business of a provider's.
    passesKeys: options.token === undefined,
    fetch: options.fetch ?? fetch,
  };
  app.onError((error) => {
    const known = responseFor(error);
    if (known) return known;
    options.onError?.(describeError(error));
    return errorResponse(500, "Something went wrong inside; the server's log says what", "internal_error");
  });
  app.notFound(({ req }) => errorResponse(404, `There is nothing at ${req.method} ${req.path}`, "not_found"));
  if (origins.length > 0) app.use(cors({ origin: origins }));
  const { inspector } = options;
  app.use(async ({ req }, next) => {
    const isWelcome = inspector?.isWelcome(req.raw) ?? false;
    const refused = refuse(req.raw, isWelcome ? { ...options, token: undefined } : options);
    return refused ?? inspector?.refuseChange(req.raw) ?? next();
  });
  app.use(
    bodyLimit({
      maxSize,
      onError: () => errorResponse(413, `The body is larger than ${maxSize} bytes`, "body_too_large"),
    }),
  );
  app.post("/v1/chat/completions", ({ req }) => answerChat(chat, req.raw));
  app.get("/v1/models", (context) =>
    context.json({
      object: "list",
      data: listModels(memory.config).map((id) => ({ id, object: "model", created: 0, owned_by: "tidemark" })),
    }),
  );
  const operations = [...OPERATIONS, ...(inspector?.operations ?? [])];
  for (const operation of operations) addOperation(app, memory, operation);
  inspector?.addTo(app);
  app.get("/openapi.json", (context) => context.json(buildOpenApi(options.version, operations)));
  app.get("/health", (context) => context.json({ status: "ok" }));
  const { mcp } = options;
  if (mcp) app.all("/mcp", ({ req }) => mcp(req.raw));
  return Object.assign(app, { finish: () => spend.write() });
}

function addOperation(app: Hono, memory: Memory, operation: Operation): void {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
  app.on(operation.method.toUpperCase(), path, async ({ req }) => {
    try {
      const body = operation.body === undefined ? undefined : JSON.parse((await req.text()) || "{}");
      const result = await operation.run(memory, { params: req.param(), query: req.query(), body });
      return Response.json(result);
    } catch (error) {
      if (error instanceof SyntaxError) return errorResponse(400, "The body is no JSON", "invalid_request");
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      const param = issue?.path.join(".") || null;
      return errorResponse(400, `${param ?? "The request"}: ${issue?.message ?? ""}`, "invalid_request", param);
    }
  });
}
