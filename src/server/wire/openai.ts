import { z } from "zod";
import type { Untranslatable } from "./wire.ts";

/** The header that carries a key to OpenAI and to all who speak like it. */
export function bearerHeaders(key: string | undefined): Record<string, string> {
  return key ? { authorization: `Bearer ${key}` } : {};
}

const number = z.number().nullish().catch(undefined);
const Wishes = z.looseObject({
  n: number,
  logprobs: z.boolean().nullish().catch(undefined),
  top_logprobs: number,
  include: z.array(z.unknown()).nullish().catch(undefined),
  functions: z.array(z.unknown()).nullish().catch(undefined),
  background: z.boolean().nullish().catch(undefined),
  modalities: z.array(z.unknown()).nullish().catch(undefined),
  messages: z
    .array(z.looseObject({ content: z.unknown().optional() }))
    .nullish()
    .catch(undefined),
});
const Parts = z.array(z.looseObject({ type: z.string() }).or(z.string())).catch([]);
const KNOWN_PARTS: ReadonlySet<string> = new Set(["text", "refusal", "image_url", "input_audio", "file"]);

/** What a request to OpenAI asks for that others cannot give: an answer without it would only look right. */
export function findUntranslatable(body: unknown): Untranslatable | undefined {
  const wishes = Wishes.safeParse(body).data ?? {};
  const { n, logprobs, top_logprobs: top, include, functions, background, modalities } = wishes;
  if ((n ?? 1) > 1) return { param: "n", why: "gives one answer at a time" };
  if (logprobs || (top ?? 0) > 0 || include?.includes("message.output_text.logprobs"))
    return { param: logprobs ? "logprobs" : top ? "top_logprobs" : "include", why: "tells no probabilities" };
  if (functions?.length) return { param: "functions", why: "knows tools alone; use `tools`" };
  if (background) return { param: "background", why: "answers only while someone waits" };
  if (modalities?.includes("audio")) return { param: "modalities", why: "answers in text alone" };
  for (const [index, { content }] of (wishes.messages ?? []).entries()) {
    const strange = Parts.parse(content).find((part) => typeof part === "object" && !KNOWN_PARTS.has(part.type));
    if (typeof strange === "object")
      return { param: `messages.${index}.content`, why: `takes no content of the type ${strange.type}` };
  }
  return undefined;
}
