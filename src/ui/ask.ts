import { ROUTES } from "../server/inspector/routes.ts";
import type { RouteName } from "../server/inspector/routes.ts";
import type { BodyOf, QueryOf, ResultOf } from "../server/inspector/schemas.ts";

/** A request that the server did not grant. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Asked {
  query?: object | undefined;
  body?: object | undefined;
  params?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Sent also when the page is left meanwhile. */
  keepalive?: boolean;
}
type Input<Name extends RouteName> = Omit<Asked, "query" | "body"> &
  (QueryOf<Name> extends undefined ? object : { query: QueryOf<Name> }) &
  (BodyOf<Name> extends undefined ? object : { body: BodyOf<Name> });

/** Asks the server for one of its operations. What it takes and gives is typed by the server's own schemas. */
export async function ask<Name extends RouteName>(name: Name, input: Input<Name>): Promise<ResultOf<Name>> {
  const { method } = ROUTES[name];
  const { body, signal, keepalive = false }: Asked = input;
  const address = addressOf(name, input);
  const early = method === "get" ? ahead.get(address) : undefined;
  ahead.delete(address);
  const response = await (early ?? fetch(address, toRequest(method, body, signal, keepalive)));
  const answer = await response.json();
  if (!response.ok)
    throw new Refused(response.status, answer?.error?.message ?? `The server answered ${response.status}`);
  return answer;
}

const ahead = new Map<string, Promise<Response>>();

/** Asks for something that a view will want in a moment; the first one to ask gets this answer. */
export function askAhead<Name extends RouteName>(name: Name, input: Input<Name>): void {
  const response = fetch(addressOf(name, input), toRequest("get", undefined, undefined, false));
  // Whoever takes it is told of a failure; it may be nobody.
  response.catch(() => undefined);
  ahead.set(addressOf(name, input), response);
}

function addressOf(name: RouteName, { query, params = {} }: Asked): string {
  const filled = ROUTES[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ""));
  return `${filled}${toQuery(query)}`;
}

function toRequest(
  method: string,
  body: object | undefined,
  signal: AbortSignal | undefined,
  keepalive: boolean,
): RequestInit {
  return {
    method: method.toUpperCase(),
    credentials: "same-origin",
    keepalive,
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  };
}

function toQuery(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[key, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** An error as a sentence for a person. */
export function sentenceFor(error: unknown): string {
  if (error instanceof TypeError) return "The server does not answer. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}
