import type { z } from "zod";

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

/** The reason in one line and in our words, whatever was thrown. */
export function describeError(error: unknown): string {
  const text = describeIssues(error) ?? describeSystemError(error) ?? messageOf(error);
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is wrong, and what to do about it, by the system's name for it. */
const SYSTEM_WORDS: Readonly<Record<string, (at: string) => string>> = {
  ENOENT: (at) => `${at} is not there`,
  ENOTDIR: (at) => `a part of ${at} is a file and not a folder`,
  EISDIR: (at) => `${at} is a folder and not a file`,
  EEXIST: (at) => `${at} is there already`,
  EACCES: (at) => `you have no permission for ${at}; look at its owner and its mode`,
  EPERM: (at) => `the system does not permit this with ${at}`,
  EROFS: (at) => `${at} is on a read-only disk`,
  ENOSPC: (at) => `the disk is full, at ${at}; make room and try again`,
  EDQUOT: (at) => `your quota on the disk is used up, at ${at}`,
  EMFILE: () => "too many files are open; raise the limit (ulimit -n)",
  EADDRINUSE: (at) => `${at} is taken by another program; choose another port (--port, 0 for a free one)`,
  EADDRNOTAVAIL: (at) => `${at} is not an address of this machine`,
  ECONNREFUSED: (at) => `nothing answers at ${at}`,
  ECONNRESET: (at) => `the connection to ${at} broke`,
  ENOTFOUND: (at) => `there is no machine called ${at}`,
  EAI_AGAIN: (at) => `the name ${at} could not be looked up; is there a network?`,
};

/** A failure of the system in our words, with its own name for it at the end. */
function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  const code = systemCode(error) ?? "";
  const words = SYSTEM_WORDS[code];
  const { path, address, port, hostname } = Object.fromEntries(Object.entries(error));
  // Ports below 1024 are the system's own.
  if (code === "EACCES" && typeof port === "number")
    return `you may not listen on port ${port}; choose one above 1023 (--port) (${code})`;
  if (code === "ENOENT" && error.syscall === "mkdir") return `no folder can be made at ${String(path)} (${code})`;
  const host = address ?? hostname;
  const at = path ?? (host === undefined ? undefined : port === undefined ? host : `${host}:${port}`);
  return words === undefined ? undefined : `${words(String(at ?? "it"))} (${code})`;
}

/** What a schema found wrong first, as a sentence: a validator's message is JSON, and for programs. */
function describeIssues(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("issues" in error) || !Array.isArray(error.issues)) return undefined;
  const [issue]: unknown[] = error.issues;
  return isIssue(issue) ? describeIssue(issue) : undefined;
}

function isIssue(value: unknown): value is z.core.$ZodIssue {
  return typeof value === "object" && value !== null && "message" in value && "path" in value && "code" in value;
}

/** One thing that is wrong with a value, as a sentence about its key: "limit must be a whole number". */
export function describeIssue(issue: z.core.$ZodIssue, whole = "it"): string {
  const key = issue.path.map(String).join(".") || whole;
  const { message } = issue;
  // Our own schemas have words of their own, which end a sentence about the key.
  const isOurs = !/^(?:Invalid |Too (?:small|big)|Unrecognized key)/.test(message);
  if (isOurs) return /^(?:must|is|has) /.test(message) ? `${key} ${message}` : `${key}: ${message}`;
  switch (issue.code) {
    case "invalid_type":
      if (message.endsWith("received undefined")) return `${key} is missing`;
      return `${key} must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `${key} must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "unrecognized_keys":
      return `${key} has ${issue.keys.join(", ")}, which is not known`;
    case "too_small":
      if (UNITS[issue.origin] !== undefined && issue.minimum === 1) return `${key} must not be empty`;
      return `${key} must be at least ${issue.minimum}${UNITS[issue.origin] ?? ""}`;
    case "too_big":
      return `${key} must be at most ${issue.maximum}${UNITS[issue.origin] ?? ""}`;
    default:
      return `${key} has a form that is not known`;
  }
}

const UNITS: Readonly<Record<string, string>> = { string: " characters", array: " items", set: " items" };
const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

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
