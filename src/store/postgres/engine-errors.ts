import { describeError, MemoryError } from "../../errors.ts";

/** The commit was sent, and no answer came: whether it was carried out is not known. */
export class UnsureError extends Error {}

/** A server that takes no writes, where another one may. */
export class StandbyError extends Error {}

// Two transactions in each other's way: one of them was undone, and may try again.
const COLLIDED = new Set(["40001", "40P01"]);
// The server is starting or stopping, has no room, or is a standby: soon it, or another one, will do.
const PASSING =
  /^(?:08|57P0|53[03]|25006)|^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const BROKEN =
  /Connection terminated|Client has encountered|timeout exceeded when trying to connect|Query read timeout/i;

/** Whether the connection, or the server behind it, is gone or of no use. */
export function isLost(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error instanceof StandbyError || PASSING.test(codeOf(error)) || BROKEN.test(error.message);
}

/** The driver knew that the connection was gone, and did not send anything. */
export function wasNotSent({ message }: Error): boolean {
  return message.includes("is not queryable");
}

/** Whether the same may be tried again at once: nothing of it was done. */
export function mayTryAgain(error: unknown): boolean {
  if (error instanceof UnsureError || error instanceof MemoryError) return false;
  // A pooler has the same code for a wrong password as for a connection that broke; it stays wrong.
  if (error instanceof Error && /authentication failed/i.test(error.message)) return false;
  return isLost(error) || (error instanceof Error && COLLIDED.has(codeOf(error)));
}

// What was to be stored is wrong, and not the database.
const WRONG: Readonly<Record<string, string>> = {
  "22021": "A text that is not UTF-8, or has a NUL character, cannot be kept in PostgreSQL",
  "54000": "A name, key or id is too long to be kept in PostgreSQL",
};

/** What people are told: which database, what is wrong with it, and what to do where that is known. */
export function toMemoryError(error: unknown, name: string): unknown {
  if (error instanceof MemoryError || !(error instanceof Error)) return error;
  if (/^SASL: .*password must be/.test(error.message))
    return new MemoryError(
      "CONFIG_INVALID",
      `The database ${name} wants a password: put it into PGPASSWORD, or into the address as {env:NAME}`,
    );
  const reason = WRONG[codeOf(error)];
  if (reason !== undefined) return new MemoryError("KEY_INVALID", reason, { cause: error });
  const isDriver = error instanceof UnsureError || codeOf(error) !== "" || isLost(error);
  if (!isDriver) return error;
  const unsure = error instanceof UnsureError ? "; whether the last change was made is not known" : "";
  return new MemoryError("STATE_UNUSABLE", `The database ${name} ${describeTrouble(error)}${unsure}`, {
    cause: error,
  });
}

function describeTrouble(error: Error): string {
  // An attempt at several addresses has no words of its own.
  const reason = describeError(error) || codeOf(error);
  const code = codeOf(error);
  if (code === "53100") return `is full: ${reason}; nothing was written, and it goes on by itself once there is room`;
  if (code === "53300" || /too many|no more connections/i.test(reason))
    return `takes no more connections: ${reason}; raise max_connections there, or set a smaller pool_size in the address`;
  if (code === "57014") return `is too slow: ${reason}; statement_timeout in the address sets how long it may take`;
  if (/statement pooling/i.test(reason))
    return `is behind a pooler that allows no transactions: ${reason}; set its pool_mode to transaction or session`;
  if (/Query read timeout/.test(reason)) return "does not answer: a statement was given up";
  return `failed: ${reason}`;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
