/** Why something failed, for programs; the message is for people. */
export type ErrorCode =
  | "CONFIG_INVALID"
  | "KEY_INVALID"
  | "SESSION_UNREADABLE"
  | "SESSION_UNWRITABLE"
  | "MESSAGE_INVALID"
  | "FILE_UNREADABLE"
  | "FILE_UNWRITABLE"
  | "STATE_UNUSABLE"
  | "LOCK_TIMEOUT"
  | "MODEL_FAILED"
  | "MODEL_UNKNOWN"
  | "REQUEST_TOO_LARGE"
  | "EMBEDDER_FAILED"
  | "QUERY_INVALID"
  | "IMPORT_INVALID"
  | "FORGOTTEN"
  | "NOT_FOUND"
  | "PATH_REFUSED"
  | "SPEND_CAPPED"
  | "READ_ONLY"
  | "CLOSED";

/** The world failed: says where and, where there is one, the fix. */
export class MemoryError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "MemoryError";
    this.code = code;
  }
}

/** The reason in one line, whatever was thrown. */
export function describeError(error: unknown): string {
  const first = firstIssue(error);
  if (first !== undefined) return first;
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

/** What a schema found wrong first, as a sentence: a validator's message is JSON, and for programs. */
function firstIssue(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("issues" in error) || !Array.isArray(error.issues)) return undefined;
  const issue: unknown = error.issues[0];
  if (typeof issue !== "object" || issue === null || !("message" in issue)) return undefined;
  const place = "path" in issue && Array.isArray(issue.path) ? issue.path.join(".") : "";
  const message = String(issue.message).replace(/^Invalid input: /, "");
  return place === "" ? message : `${place}: ${message}`;
}

/** The system's error code (ENOENT and the like), if it has one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

// A disk that is full or failing, a lack of permission, too much at once: nothing is wrong with what was tried.
const PASSING = new Set(
  "ENOSPC EDQUOT EACCES EPERM EROFS EIO EBUSY EMFILE ENFILE ENOMEM EAGAIN EINTR ETIMEDOUT ESTALE ENXIO ENODEV".split(
    " ",
  ),
);

// SQLITE_ERROR, TOOBIG, CONSTRAINT, MISMATCH: what was to be written is wrong, and not the disk.
const WRONG_FOR_SQLITE = new Set([1, 18, 19, 20]);

// As PostgreSQL names what is wrong: a digit is in each, and in none of the system's.
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;
// A feature, data, a constraint, a statement or a limit: what was to be written is wrong, and not the server.
const WRONG_FOR_POSTGRES = /^(?:0A|2[123]|42|54)/;

/** Whether the same may succeed later, with nothing changed but the world around it. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = systemCode(error) ?? "";
  if (SQL_STATE.test(code)) return !WRONG_FOR_POSTGRES.test(code);
  if ("errcode" in error && typeof error.errcode === "number") return !WRONG_FOR_SQLITE.has(error.errcode & 0xff);
  if (PASSING.has(code)) return true;
  // A connection that broke has no code; that the state could not be used says enough.
  if (error.cause !== undefined && (mayPass(error.cause) || hasCode(error.cause))) return mayPass(error.cause);
  return error instanceof MemoryError && ["LOCK_TIMEOUT", "STATE_UNUSABLE", "CLOSED"].includes(error.code);
}

function hasCode(error: unknown): boolean {
  return error instanceof Error && ("code" in error || "errcode" in error || hasCode(error.cause));
}
