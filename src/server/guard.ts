import { isIP } from "node:net";
import { errorResponse } from "./error-response.ts";
import { findCaller } from "./tokens.ts";
import type { TokenFile } from "./tokens.ts";

/** Who may ask. */
export interface GuardOptions {
  /** Needed with each request, as a bearer token, when given. */
  token?: string | undefined;
  /** Tokens of single users, besides it. */
  tokens?: TokenFile | undefined;
  /** Host names under which the server may be addressed, besides the loopback's. */
  allowedHosts?: readonly string[] | undefined;
  /** Whether it may be addressed by any number: what is no name cannot be made to lead elsewhere. */
  allowsAddresses?: boolean | undefined;
  /** Web pages that may ask, as `https://host`; those on the loopback may without. */
  allowedOrigins?: readonly string[] | undefined;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether an address can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Why a request is not served; undefined when it is. A web page anywhere can make a browser ask a server on this
 * machine, under a name of its own choosing: the name it is addressed by and the page that asks must both be known.
 */
export function refuse(request: Request, options: GuardOptions): Response | undefined {
  const host = hostOf(`http://${request.headers.get("host") ?? ""}`);
  if (host === undefined || !isHostAllowed(host, options)) {
    const name = host ?? "";
    const message = `This server does not answer to the name ${JSON.stringify(name)}; start it with --allow-host ${name || "NAME"}`;
    return errorResponse(403, message, "host_refused");
  }
  if (!isOriginAllowed(request, options)) {
    return errorResponse(
      403,
      "Web pages from other origins may not call this server; start it with --allow-origin",
      "origin_refused",
    );
  }
  if (findCaller(request, options.token, options.tokens) === undefined) {
    return errorResponse(401, "A token is needed: Authorization: Bearer …", "token_missing");
  }
  return undefined;
}

function isHostAllowed(host: string, { allowedHosts = [], allowsAddresses = false }: GuardOptions): boolean {
  return (
    isLoopback(host) || allowedHosts.includes(host) || (allowsAddresses && isIP(host.replaceAll(/[[\]]/g, "")) > 0)
  );
}

function isOriginAllowed(request: Request, options: GuardOptions): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return request.headers.get("sec-fetch-site") !== "cross-site";
  // Our own page, under a name that was looked at before.
  if (URL.canParse(origin) && new URL(origin).host === request.headers.get("host")) return true;
  return isKnownOrigin(origin, options);
}

/** Whether a web page may ask: one that was named, or one on the loopback. */
export function isKnownOrigin(origin: string, { allowedOrigins = [] }: GuardOptions): boolean {
  if (allowedOrigins.includes(origin)) return true;
  const host = hostOf(origin);
  return host !== undefined && isLoopback(host);
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}
