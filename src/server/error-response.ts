import { HTTPException } from "hono/http-exception";
import { MemoryError } from "../errors.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { ErrorCode } from "../errors.ts";

/** A failure as OpenAI's clients understand it. */
export interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  KEY_INVALID: 400,
  MESSAGE_INVALID: 400,
  QUERY_INVALID: 400,
  NOT_FOUND: 404,
  PATH_REFUSED: 403,
  REQUEST_TOO_LARGE: 413,
  SPEND_CAPPED: 429,
  MODEL_FAILED: 502,
  MODEL_UNKNOWN: 503,
  CLOSED: 503,
  LOCK_TIMEOUT: 503,
};

/** A failure as a response. */
export function errorResponse(
  status: number,
  message: string,
  code: string | null,
  param: string | null = null,
): Response {
  const body: ErrorBody = { error: { message: maskSecrets(message), type: typeFor(status), param, code } };
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : {};
  return Response.json(body, { status, headers });
}

/** What was thrown, as a response; undefined for a bug of ours. */
export function responseFor(error: unknown): Response | undefined {
  if (error instanceof HTTPException) return errorResponse(error.status, error.message || "The request failed", null);
  if (!(error instanceof MemoryError)) return undefined;
  return errorResponse(STATUS[error.code] ?? 500, error.message, error.code.toLowerCase());
}

function typeFor(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "insufficient_quota";
  return status < 500 ? "invalid_request_error" : "server_error";
}
