import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** What a real tokenizer (o200k) counts, to hold our estimates against. */
export function realTokens(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
