import { z } from "zod";
import type { Failure } from "./wire/conversation.ts";
import type { WireName } from "./wire/wire.ts";

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

/**
 * What a request asks for that no other wire can answer, as a refusal: whoever counts on it must not get an answer that
 * only looks right. Undefined where everything can be translated, or left out without harm.
 */
export function refuseUntranslatable(wire: WireName, body: unknown, behind: WireName): Failure | undefined {
  if (wire === "messages") return undefined;
  const wishes = Wishes.safeParse(body).data ?? {};
  const { n, logprobs, top_logprobs: top, include, functions, background, modalities } = wishes;
  if ((n ?? 1) > 1) return refusal("n", behind, "gives one answer at a time");
  if (logprobs || (top ?? 0) > 0 || include?.includes("message.output_text.logprobs"))
    return refusal(logprobs ? "logprobs" : top ? "top_logprobs" : "include", behind, "tells no probabilities");
  if (functions?.length) return refusal("functions", behind, "knows tools alone; use `tools`");
  if (background) return refusal("background", behind, "answers only while someone waits");
  if (modalities?.includes("audio")) return refusal("modalities", behind, "answers in text alone");
  for (const [index, { content }] of (wishes.messages ?? []).entries()) {
    const strange = Parts.parse(content).find((part) => typeof part === "object" && !KNOWN_PARTS.has(part.type));
    if (typeof strange === "object")
      return refusal(`messages.${index}.content`, behind, `takes no content of the type ${strange.type}`);
  }
  return undefined;
}

function refusal(param: string, behind: WireName, why: string): Failure {
  const message = `${param}: the API of the provider behind this server (${behind}) ${why}`;
  return { status: 400, message, code: "unsupported_parameter", param };
}
