import { createHash } from "node:crypto";
import { z } from "zod";

/** How much of a request was the same as in the one before it; kept with the answer that came of it. */
export const PromptRecord = z.object({
  bytes: z.number(),
  /** Bytes of the previous request that this one begins with, out of `previous`. */
  stable: z.number(),
  previous: z.number(),
  /** Tells the next request, also in another process, whether it begins with this one. */
  digest: z.string(),
  cached_tokens: z.number().optional(),
  input_tokens: z.number().optional(),
});
export type PromptRecord = z.infer<typeof PromptRecord>;

/** What a request looks like to a cache: its parts in the order in which they are sent. */
export interface SentPrompt {
  system: readonly string[];
  tools: readonly unknown[];
  messages: readonly unknown[];
}

/** Compares a request with the one before it. */
export function measurePrompt(prompt: SentPrompt, before: { bytes?: Buffer; record?: PromptRecord }) {
  const bytes = toBytes(prompt);
  const previous = before.bytes?.length ?? before.record?.bytes ?? 0;
  const stable = before.bytes ? commonPrefix(before.bytes, bytes) : stableByDigest(bytes, before.record);
  const record: PromptRecord = { bytes: bytes.length, stable, previous, digest: digestOf(bytes) };
  return { bytes, record };
}

/** What the requests of a session had in common with those before them. */
export interface PromptStability {
  requests: number;
  /** Share of the previous request's bytes that the next began with, 0 to 1; undefined before the second request. */
  share: number | undefined;
  inputTokens: number;
  cachedTokens: number;
}

/** Sums up the records that answers carry in their field `prompt`. */
export function summarizePrompts(messages: readonly Readonly<Record<string, unknown>>[]): PromptStability {
  const records = messages.flatMap(({ prompt }) =>
    prompt === undefined ? [] : (PromptRecord.safeParse(prompt).data ?? []),
  );
  const sum = (pick: (record: PromptRecord) => number) => records.reduce((total, record) => total + pick(record), 0);
  const previous = sum((record) => record.previous);
  return {
    requests: records.length,
    share: previous === 0 ? undefined : sum(({ stable }) => stable) / previous,
    inputTokens: sum(({ input_tokens }) => input_tokens ?? 0),
    cachedTokens: sum(({ cached_tokens }) => cached_tokens ?? 0),
  };
}

function toBytes({ system, tools, messages }: SentPrompt): Buffer {
  // One line a message, without a closing bracket: a longer request then begins with the shorter one.
  const lines = [
    JSON.stringify(tools),
    JSON.stringify(system.join("")),
    ...messages.map((each) => JSON.stringify(each)),
  ];
  return Buffer.from(`${lines.join("\n")}\n`);
}

/** Of another process's request only the digest is known: it is the whole beginning, or it is not. */
function stableByDigest(bytes: Buffer, record: PromptRecord | undefined): number {
  if (record === undefined || record.bytes > bytes.length) return 0;
  return digestOf(bytes.subarray(0, record.bytes)) === record.digest ? record.bytes : 0;
}

function commonPrefix(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  if (one.subarray(0, most).equals(other.subarray(0, most))) return most;
  let at = 0;
  while (one[at] === other[at]) at++;
  return at;
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
}
