import { HTTPException } from "hono/http-exception";
import { MemoryError } from "../errors.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { ErrorCode } from "../errors.ts";
import { writeOpenAiFailure } from "./wire/chat/chat-answer.ts";
import type { Failure } from "./wire/conversation.ts";
import type { Wire } from "./wire/wire.ts";

const STATUS: Partial<Record<ErrorCode, number>> = {
  KEY_INVALID: 400,
  MESSAGE_INVALID: 400,
  QUERY_INVALID: 400,
  FORGOTTEN: 409,
  NOT_FOUND: 404,
  PATH_REFUSED: 403,
  REQUEST_TOO_LARGE: 413,
  SPEND_CAPPED: 429,
  MODEL_FAILED: 502,
  MODEL_UNKNOWN: 503,
  CLOSED: 503,
  LOCK_TIMEOUT: 503,
  STATE_UNUSABLE: 503,
};

/** A failure as a response, in the form that most clients understand. */
export function errorResponse(
  status: number,
  message: string,
  code: string | null,
  param: string | null = null,
): Response {
  return toResponse(writeOpenAiFailure({ status, message: maskSecrets(message), code, param }), status);
}

/** A failure as a response in the form of a wire. */
export function failureResponse(wire: Wire, failure: Failure, headers: Record<string, string> = {}): Response {
  return toResponse(wire.writeFailure({ ...failure, message: maskSecrets(failure.message) }), failure.status, headers);
}

function toResponse(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  return Response.json(body, {
    status,
    headers: { ...headers, ...(status === 401 ? { "www-authenticate": "Bearer" } : {}) },
  });
}

/** What was thrown, as a response; undefined for a bug of ours. */
export function responseFor(error: unknown): Response | undefined {
  if (error instanceof HTTPException) return errorResponse(error.status, error.message || "The request failed", null);
  if (!(error instanceof MemoryError)) return undefined;
  return errorResponse(STATUS[error.code] ?? 500, error.message, error.code.toLowerCase());
}
