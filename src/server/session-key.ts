import { createHash } from "node:crypto";
import { z } from "zod";
import type { MessageInput } from "../session/message.ts";

const text = z.string().nullish().catch(undefined);
const Named = z.looseObject({
  prompt_cache_key: text,
  conversation: z
    .union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])
    .nullish()
    .catch(undefined),
  metadata: z.looseObject({ user_id: text }).nullish().catch(undefined),
  user: text,
});

/** The headers by which clients name their conversation, ours first. */
const HEADERS = ["x-session-id", "session_id", "thread-id", "session-id"];
// What clients of Anthropic's send as a user holds the session, too.
const SESSION_WITHIN = /session(?:_id)?["_:\s]+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;

/** The session that a request names, by a header or a field; undefined where it names none. */
export function namedSession(headers: Headers, body: unknown): string | undefined {
  const own = headers.get("x-tidemark-session")?.trim();
  if (own) return shortKey(readSessionHeader(own));
  const { prompt_cache_key, conversation, metadata, user } = Named.safeParse(body).data ?? {};
  const userId = metadata?.user_id;
  const given = [
    ...HEADERS.map((name) => headers.get(name)),
    prompt_cache_key,
    conversation,
    userId ? (SESSION_WITHIN.exec(userId)?.[1] ?? userId) : undefined,
    user,
  ];
  const name = given.find((value) => value?.trim())?.trim();
  return name === undefined ? undefined : shortKey(`api:${name}`);
}

/** A key as we send it: header values are Latin-1, and keys need not be. */
export function writeSessionHeader(key: string): string {
  return encodeURIComponent(key).replaceAll("%3A", ":");
}

/** The key that a header names: what we sent, or what a client wrote down as it is. */
function readSessionHeader(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}

const LONGEST_SESSION_KEY = 200;

/** A key that fits into a header and a file name; a longer one ends in its hash, so that no two become one. */
function shortKey(given: string): string {
  // Half a character has no form in a header, nor in a file.
  const key = given.toWellFormed();
  if (key.length <= LONGEST_SESSION_KEY) return key;
  return `${key.slice(0, 100)}-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/**
 * The session of a conversation that nothing names: by all that was said when it first came. A client sends that again,
 * with more behind it: the longest beginning that is a session is the one. Whatever stands first in every conversation
 * of a client joins no two of them.
 */
export async function sessionByWords(
  messages: readonly MessageInput[],
  hasSession: (key: string) => boolean | Promise<boolean>,
): Promise<string> {
  const newest = messages.findLastIndex(({ role }) => role !== "assistant");
  let digest = "";
  let key = "";
  let known: string | undefined;
  for (const [index, { role, content }] of messages.slice(0, newest + 1).entries()) {
    const words = typeof content === "string" ? content : JSON.stringify(content ?? "");
    digest = createHash("sha256").update(`${digest}${role}\n${words}`).digest("hex");
    key = `api:${digest.slice(0, 16)}`;
    const isEnd = index === newest || messages[index + 1]?.role === "assistant";
    if (isEnd && (await hasSession(key))) known = key;
  }
  return known ?? (key === "" ? "api:main" : key);
}
