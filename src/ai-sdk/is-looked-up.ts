import { z } from "zod";

const Part = z.looseObject({
  type: z.string().optional().catch(undefined),
  providerExecuted: z.boolean().nullish().catch(undefined),
  citations: z.array(z.unknown()).nullish().catch(undefined),
  providerMetadata: z.unknown().optional(),
  // What was metadata of an answer comes back as options of a prompt.
  providerOptions: z.unknown().optional(),
});
const FOUND = /"(?:groundingMetadata|urlContextMetadata)":\{"|"(?:annotations|citations|searchResults)":\[\{/;

/**
 * Whether a part of a model's answer says that something was looked up on the provider's side, so that no tool of the
 * caller's brought it. A result within an answer is always the provider's own.
 */
export function isLookedUp(part: unknown): boolean {
  const { type, providerExecuted, citations, providerMetadata, providerOptions } = Part.safeParse(part).data ?? {};
  if (type === "source" || type === "tool-result" || providerExecuted === true) return true;
  return (citations?.length ?? 0) > 0 || FOUND.test(JSON.stringify([providerMetadata, providerOptions]));
}
