import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { systemCode } from "../../errors.ts";
import { shippedPath } from "../../shipped.ts";

/** A file of the built page. */
export interface PageFile {
  body: Uint8Array<ArrayBuffer>;
  zipped: Uint8Array<ArrayBuffer>;
  type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const BUILT = shippedPath("dist/ui/");

/** Reads the built page, which is small, into memory: paths as they are asked for; none where it was not built. */
export function loadPageFiles(folder = BUILT): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of listFiles(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const body = new Uint8Array(readFileSync(`${folder}/${name}`));
    const zipped = new Uint8Array(gzipSync(body));
    files.set(name === "index.html" ? "/" : `/${name.replaceAll("\\", "/")}`, { body, zipped, type });
  }
  return files;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

// Nothing but our own files, no script or style that stands in a page, and no string that becomes markup unsanitised.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/** What goes with everything that the page is made of. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

/** A file of the page as a response. */
export function servePageFile(file: PageFile, request: Request, isHashed: boolean): Response {
  const isZipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(isZipped ? file.zipped : file.body, {
    headers: {
      ...PAGE_HEADERS,
      "content-type": file.type,
      "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    },
  });
}
