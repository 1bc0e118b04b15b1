// What assistants say when they claim to have saved something, or to do so now.
const PROMISES: readonly RegExp[] = [
  /\bI(?:'|’)?(?:ll| will| shall)\s+(?:be sure to\s+|make sure to\s+|definitely\s+|certainly\s+|always\s+)?(?:remember|keep (?:that|this|it) in mind|make a (?:mental )?note|note (?:that|this|it)|memori[sz]e|save (?:that|this|it)|store (?:that|this|it)|not forget)\b/i,
  /\bI(?:'|’)?(?:ve| have)\s+(?:now\s+|just\s+)?(?:remembered|noted|saved|stored|memori[sz]ed|recorded|made a (?:mental )?note|added (?:that|this|it) to (?:my |your |the )?(?:long-term )?memory)\b/i,
  /\b(?:saved|stored|added|committed|written|recorded)\s+(?:that\s+|this\s+|it\s+)?(?:to|in|into)\s+(?:my\s+|your\s+|the\s+)?(?:long-term\s+)?memory\b/i,
  /(?:^|[.!?\n]\s{0,20})(?:got it,?\s+)?(?:duly\s+)?noted\b/i,
  /\b(?:won(?:'|’)t|will not) forget\b/i,
  /\bmemory (?:has been |is |was )?updated\b/i,
  /\b(?:Ich merke (?:mir )?das|ich werde (?:mir das merken|daran denken)|notiert)\b/i,
  /\b(?:lo recordaré|anotado|je m['’]en souviendrai|c['’]est noté|vou lembrar|anotado)\b/i,
  /(?:我会记住|记住了|已记录|已保存)/,
];

/** Whether an answer claims that something is or will be remembered. */
export function isPromise(answer: string): boolean {
  // What stands in a quote or in code is not the assistant's own word.
  const own = answer.replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`|^>.*$/gm, " ");
  return PROMISES.some((promise) => promise.test(own));
}

/** What the user is told when nothing stands behind the claim. */
export const NOT_SAVED =
  "(not saved) Nothing was written to long-term memory in this turn. It is in the transcript and will be digested later; say “save that” to save it now.";
