import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { TokenFile } from "../tokens.ts";

/** Who may act through the page. */
export interface PageAccess {
  /** Whether a request comes from our own page, with its cookie. */
  isEntered(request: Request): boolean;
  /** The header that lets the page in. */
  cookieFor(request: Request): string;
  /** Makes the path of a link that lets one browser in, once. */
  createEntry(): string;
  /** Whether a code of such a link still counts; it does not after this. */
  takeEntry(code: string): boolean;
  /** Whether this is the server's token, or one that counts for all of the workspace. */
  isToken(text: string): boolean;
  /** Whether a token is needed to get in at all. */
  isLocked: boolean;
}

/**
 * Keeps the page's door. The cookie is made from the token, so that it outlives a restart and several servers share it;
 * without one it is random. Where nobody needs a token, everyone who may read may also open the page; where only users
 * have theirs, those that count for all of the workspace open it.
 */
export function createPageAccess(token: string | undefined, users?: TokenFile): PageAccess {
  const owners = Object.entries(users ?? {}).flatMap(([each, { scope, access }]) =>
    scope === "*" && access === "write" ? [each] : [],
  );
  const secret = createHmac("sha256", token ?? randomBytes(32))
    .update("tidemark page")
    .digest("base64url");
  const codes = new Set<string>();
  return {
    isLocked: token !== undefined || users !== undefined,
    isEntered: (request) => isOwnPage(request) && isSame(cookieOf(request), secret),
    cookieFor(request) {
      const isSecure = request.headers.get("x-forwarded-proto") === "https";
      return `${cookieName(request)}=${secret}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    },
    createEntry() {
      const code = randomBytes(24).toString("base64url");
      codes.add(code);
      return `/enter/${code}`;
    },
    takeEntry: (code) => codes.delete(code),
    isToken(text) {
      const known = [...(token === undefined ? [] : [token]), ...owners];
      // All are compared: how long it took tells nothing.
      return known.map((each) => isSame(text, each)).includes(true);
    },
  };
}

/** To a cookie every port of a host is the same site; a page of another one must not act with ours. */
function isOwnPage(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = request.headers.get("origin");
  if (origin === null) return true;
  return URL.canParse(origin) && new URL(origin).host === request.headers.get("host");
}

/** Servers on other ports have cookies of their own. */
function cookieName(request: Request): string {
  const port = /:(\d+)$/.exec(request.headers.get("host") ?? "")?.[1] ?? "";
  return `tidemark_page_${port}`;
}

function cookieOf(request: Request): string {
  const name = `${cookieName(request)}=`;
  const cookies = (request.headers.get("cookie") ?? "").split(/;\s*/);
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length) ?? "";
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** Digests have one length, and take one time to compare. */
function digest(text: string): Buffer {
  return createHmac("sha256", "compare").update(text).digest();
}
