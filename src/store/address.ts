import { fillVariables } from "../config.ts";
import { MemoryError } from "../errors.ts";

/** Where a workspace lies in a database. */
export interface Address {
  /** What may be shown: no password, and no option that could hold one. */
  readonly shown: string;
  readonly workspace: string;
  /** For the driver alone: it may hold a password. */
  readonly url: string;
  readonly poolSize: number | undefined;
  readonly connectMs: number | undefined;
  readonly statementMs: number | undefined;
}

const DEFAULT_WORKSPACE = "default";
const LONGEST_NAME = 200;
const SCHEME = /^postgres(?:ql)?:/i;

/** What was hidden of an address, by what is shown of it: the rest of the program is handed that alone. */
const hidden = new Map<string, string>();

/** Whether a text names a place in a database, and not a folder. */
export function isAddress(text: string): boolean {
  return SCHEME.test(text);
}

/** An address as it may be shown and handed on within this process; `name` is the workspace, where it is said apart. */
export function hideAddress(text: string, name?: string): string {
  const url = parseAddress(text);
  if (name !== undefined) url.searchParams.set("workspace", name);
  const workspace = nameOf(url);
  const shown = `postgres://${url.username === "" ? "" : `${url.username}@`}${url.host}${url.pathname}?workspace=${encodeURIComponent(workspace)}`;
  hidden.set(shown, url.href);
  return shown;
}

/** Reads an address; one that `hideAddress` gave is known with all that it left out. */
export function readAddress(text: string, name?: string): Address {
  const shown = hidden.has(text) && name === undefined ? text : hideAddress(text, name);
  const url = new URL(hidden.get(shown) ?? shown);
  const workspace = nameOf(url);
  const poolSize = takeNumber(url, "pool_size");
  const connectSeconds = takeNumber(url, "connect_timeout");
  const statementMs = takeNumber(url, "statement_timeout");
  url.searchParams.delete("workspace");
  return {
    shown,
    workspace,
    url: url.href,
    poolSize,
    connectMs: connectSeconds === undefined ? undefined : connectSeconds * 1000,
    statementMs,
  };
}

function parseAddress(text: string): URL {
  const filled = fillVariables(hidden.get(text) ?? text);
  // The parser's own error repeats what it was given, and so the password.
  if (!URL.canParse(filled) || !isAddress(filled))
    throw new MemoryError(
      "CONFIG_INVALID",
      "The address of the store is not valid: it looks like postgres://user@host:5432/database?workspace=name",
    );
  return new URL(filled);
}

function nameOf(url: URL): string {
  const name = url.searchParams.get("workspace") ?? DEFAULT_WORKSPACE;
  if (name.trim() === "" || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
    throw new MemoryError(
      "CONFIG_INVALID",
      `The name of a workspace has 1 to ${LONGEST_NAME} characters, and none that cannot be seen`,
    );
  return name;
}

/** Our own options are not the driver's. */
function takeNumber(url: URL, name: string): number | undefined {
  const text = url.searchParams.get(name);
  url.searchParams.delete(name);
  if (text === null) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new MemoryError("CONFIG_INVALID", `${name} in the address of the store must be a whole number above 0`);
}
