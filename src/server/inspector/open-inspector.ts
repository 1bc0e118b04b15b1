import type { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { z } from "zod";
import type { Memory } from "../../memory.ts";
import type { Operation } from "../api.ts";
import type { Caller, TokenFile } from "../tokens.ts";
import { errorResponse } from "../error-response.ts";
import type { Doctor } from "./health-shapes.ts";
import { readFrame } from "./health-reads.ts";
import { createLiveEvents } from "./live-events.ts";
import { PAGE_OPERATIONS, PERSONAL_PATHS } from "./operations.ts";
import { READS } from "./memory-reads.ts";
import { createPageAccess } from "./page-access.ts";
import { loadPageFiles, PAGE_HEADERS, servePageFile } from "./page-files.ts";
import { servePicture } from "./picture.ts";
import { ROUTES } from "./routes.ts";
import { SCHEMAS } from "./schemas.ts";

/** What an inspector is made of. */
export interface InspectorOptions {
  version: string;
  token?: string | undefined;
  /** Tokens of single users: where there are any, nobody opens the page without one. */
  tokens?: TokenFile | undefined;
  /** Nothing can be changed through this server. */
  isReadOnly?: boolean | undefined;
  /** Looks for what is wrong in the workspace. */
  examine?: (() => Promise<Doctor>) | undefined;
}

/** The memory in a browser: the page, what it asks, and who may. */
export interface Inspector {
  /** Whether a request needs no bearer token: it asks for the page itself, or comes from the page with its cookie. */
  isWelcome(request: Request): boolean;
  /** Why a request may not change anything; undefined when it may. */
  refuseChange(request: Request): Response | undefined;
  operations: readonly Operation[];
  /** Adds the page; what it shows of the workspace is for those who may see all of it. */
  addTo(app: Hono, callerOf: (request: Request) => Caller): void;
  /** The path of a link that lets one browser in, once. */
  createEntry(): string;
  /** Reads once what the first view shows, so that it is there when it is asked for. */
  warm(): Promise<void>;
  /** Ends the streams of events, so that the server can stop. */
  close(): void;
}

const LOOKS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Opens the inspector of a memory. */
export function openInspector(memory: Memory, options: InspectorOptions): Inspector {
  const access = createPageAccess(options.token, options.tokens);
  const files = loadPageFiles();
  const events = createLiveEvents(memory.store.documents);
  const isReadOnly = options.isReadOnly ?? false;
  const frame = { version: options.version, isReadOnly };
  const door: Operation[] = [
    { ...ROUTES.page, ...SCHEMAS.page, run: () => readFrame(memory, frame) },
    {
      ...ROUTES.doctor,
      ...SCHEMAS.doctor,
      run: async () => (await options.examine?.()) ?? { findings: [], notes: ["this server has no doctor"] },
    },
  ];
  return {
    // Its operations go by memories, and not by the session of whoever asks.
    operations: [...door, ...PAGE_OPERATIONS].map((each) => ({ ...each, isForAll: true })),
    createEntry: () => access.createEntry(),
    close: () => events.close(),
    async warm() {
      await READS.facts(memory, {});
      await READS.states(memory, {});
    },
    isWelcome(request) {
      const path = getPath(request);
      if (path === ROUTES.enter.path || path.startsWith("/enter/")) return true;
      return (LOOKS.has(request.method) && files.has(path)) || access.isEntered(request);
    },
    refuseChange(request) {
      const path = getPath(request);
      if (LOOKS.has(request.method) || path === ROUTES.enter.path || path === ROUTES.previewForget.path)
        return undefined;
      if (isReadOnly)
        return errorResponse(403, "This server is read-only: it was started with --read-only", "read_only");
      if (access.isLocked || !isPersonal(request.method, path) || access.isEntered(request)) return undefined;
      return errorResponse(401, "This needs the page's cookie; open the page at / first", "cookie_missing");
    },
    addTo(app, callerOf) {
      for (const [path, file] of files) {
        app.get(path, ({ req }) => {
          const response = servePageFile(file, req.raw, path.startsWith("/assets/"));
          if (path === "/" && !access.isLocked) response.headers.append("set-cookie", access.cookieFor(req.raw));
          return response;
        });
      }
      app.get("/enter/:code", ({ req }) => enter(access.takeEntry(req.param("code")), access.cookieFor(req.raw)));
      app.post(ROUTES.enter.path, async ({ req }) => {
        const { token } = readBody(await req.text());
        if (!access.isToken(token)) return errorResponse(401, "This is not the server's token", "token_wrong");
        return Response.json({ entered: true }, { headers: { "set-cookie": access.cookieFor(req.raw) } });
      });
      const forAll = (request: Request, answer: () => Response | Promise<Response>) =>
        callerOf(request).scope === undefined
          ? answer()
          : errorResponse(403, "This is about everyone's memory", "refused");
      app.get("/api/events", ({ req }) => forAll(req.raw, () => events.stream(req.raw.signal)));
      app.get("/api/pictures", ({ req }) =>
        forAll(req.raw, () => servePicture(memory.store.documents, req.query("path") ?? "")),
      );
    },
  };
}

/** Whether a path, as the router reads it, is one of those at which a person acts. */
function isPersonal(method: string, path: string): boolean {
  return PERSONAL_PATHS.some((each) => {
    const pattern = new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return each.method === method.toLowerCase() && pattern.test(path);
  });
}

/** Lets a browser in by a link that counts once; the address that stays in its history is the page's. */
function enter(isGood: boolean, cookie: string): Response {
  const headers = { ...PAGE_HEADERS, location: "/", "cache-control": "no-store" };
  return new Response(null, { status: 303, headers: isGood ? { ...headers, "set-cookie": cookie } : headers });
}

function readBody(text: string): z.output<typeof SCHEMAS.enter.body> {
  return SCHEMAS.enter.body.parse(JSON.parse(text || "{}"));
}
