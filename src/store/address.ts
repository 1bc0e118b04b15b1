import { fillVariables } from "../config.ts";
import { MemoryError } from "../errors.ts";
import { nearest } from "../nearest.ts";

/** Where a workspace lies in a database. */
export interface Address {
  /** What may be shown: no password, and no option that could hold one. */
  readonly shown: string;
  readonly workspace: string;
  /** For the driver alone, one for each host: they may hold a password. */
  readonly urls: readonly string[];
  readonly poolSize: number | undefined;
  readonly connectMs: number | undefined;
  readonly statementMs: number | undefined;
  /** How long a database that was there before is waited for. */
  readonly patienceMs: number | undefined;
  /** How long a lock outlives a process that was killed. */
  readonly leaseMs: number | undefined;
}

/** An address of one host, and all the hosts that were named in its place. */
interface Parsed {
  readonly url: URL;
  readonly hosts: readonly string[];
}

const DEFAULT_WORKSPACE = "default";
const LONGEST_NAME = 200;
const SCHEME = /^postgres(?:ql)?:/i;
const AUTHORITY = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)/i;
const OPTIONS = [
  "workspace",
  "pool_size",
  "connect_timeout",
  "statement_timeout",
  "retry_timeout",
  "lock_lease",
  "target_session_attrs",
];
// The driver's own that are spelled nearly so.
const FOREIGN = new Set(["lock_timeout", "query_timeout", "idle_in_transaction_session_timeout"]);
// Whoever keeps a memory writes; a server that takes no writes is of no use.
const USABLE = new Set(["any", "read-write", "primary"]);

/** What was hidden of an address, by what is shown of it: the rest of the program is handed that alone. */
const hidden = new Map<string, string>();

/** Whether a text names a place in a database, and not a folder. */
export function isAddress(text: string): boolean {
  return SCHEME.test(text);
}

/** An address as it may be shown and handed on within this process; `name` is the workspace, where it is said apart. */
export function hideAddress(text: string, name?: string): string {
  const { url, hosts } = parseAddress(text);
  if (name !== undefined) url.searchParams.set("workspace", name);
  const workspace = nameOf(url);
  const shown = `postgres://${url.username === "" ? "" : `${url.username}@`}${hosts.join(",")}${url.pathname}?workspace=${encodeURIComponent(workspace)}`;
  hidden.set(shown, atHost(url.href, hosts.join(",")));
  return shown;
}

/** Reads an address; one that `hideAddress` gave is known with all that it left out. */
export function readAddress(text: string, name?: string): Address {
  const shown = hidden.has(text) && name === undefined ? text : hideAddress(text, name);
  const { url, hosts } = parseAddress(shown);
  const workspace = nameOf(url);
  const poolSize = takeNumber(url, "pool_size");
  const connectSeconds = takeNumber(url, "connect_timeout");
  const statementMs = takeNumber(url, "statement_timeout");
  const patienceSeconds = takeNumber(url, "retry_timeout");
  const leaseSeconds = takeNumber(url, "lock_lease");
  needUsable(url);
  url.searchParams.delete("workspace");
  for (const name of url.searchParams.keys()) refuseMistyped(name);
  return {
    shown,
    workspace,
    urls: hosts.map((host) => atHost(url.href, host)),
    poolSize,
    connectMs: inMs(connectSeconds),
    statementMs,
    patienceMs: inMs(patienceSeconds),
    leaseMs: inMs(leaseSeconds),
  };
}

function parseAddress(text: string): Parsed {
  const filled = fillVariables(hidden.get(text) ?? text);
  const hosts = hostsOf(filled);
  const all = hosts.map((host) => atHost(filled, host));
  // The parser's own error repeats what it was given, and so the password.
  if (!AUTHORITY.test(filled) || !all.every((each) => URL.canParse(each)))
    throw new MemoryError(
      "CONFIG_INVALID",
      "The address of the store is not valid: it looks like postgres://user@host:5432/database?workspace=name",
    );
  const url = new URL(all[0] ?? filled);
  if (hosts.length > 1) for (const option of ["host", "port"]) url.searchParams.delete(option);
  return { url, hosts };
}

/** Several hosts stand in the place of one, or in options of their own, as PostgreSQL's own clients have it. */
function hostsOf(text: string): string[] {
  const options = new URLSearchParams(/\?([^#]*)/.exec(text)?.[1]);
  const named = options.get("host")?.split(",") ?? [];
  if (named.length < 2) return (AUTHORITY.exec(text)?.[3] ?? "").split(",");
  const ports = (options.get("port") ?? "").split(",");
  return named.map((host, index) => `${host}${portOf(ports, index)}`);
}

/** One port is meant for every host. */
function portOf(ports: readonly string[], index: number): string {
  const port = ports.length === 1 ? ports[0] : ports[index];
  return port === undefined || port === "" ? "" : `:${port}`;
}

function atHost(text: string, host: string): string {
  return text.replace(AUTHORITY, (_, scheme: string, user = "") => `${scheme}${user}${host}`);
}

function needUsable(url: URL): void {
  const wish = url.searchParams.get("target_session_attrs");
  url.searchParams.delete("target_session_attrs");
  if (wish === null || USABLE.has(wish)) return;
  throw new MemoryError(
    "CONFIG_INVALID",
    "target_session_attrs in the address of the store must be read-write, primary or any: a memory is written to",
  );
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

/** Others are the driver's, and a provider may have some of its own; one that is nearly ours was meant to be. */
function refuseMistyped(name: string): void {
  const meant = FOREIGN.has(name) ? undefined : nearest(name, OPTIONS);
  if (meant === undefined) return;
  throw new MemoryError(
    "CONFIG_INVALID",
    `The address of the store has no option ${JSON.stringify(name)}. Did you mean ${meant}?`,
  );
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Our own options are not the driver's. */
function takeNumber(url: URL, name: string): number | undefined {
  const text = url.searchParams.get(name);
  url.searchParams.delete(name);
  if (text === null) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new MemoryError("CONFIG_INVALID", `${name} in the address of the store must be a whole number above 0`);
}
