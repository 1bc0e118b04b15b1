import type { ModelReply } from "../model/model.ts";
import { DEEPEST, isDeeperThan } from "../session/parse-json-line.ts";
import type { ModelAnswer } from "../history/model-answer.ts";
import { withoutThoughts } from "./prompt.ts";

// Each part of an answer may be as long as a whole MEMORY.md of the usual size: a record, not a second memory.
const LONGEST_PART = 16_000;
const LONGEST_ANSWER = 64_000;

/** What of a reply is kept with its change: the words and the calls, without thoughts, masked as everything that is written is. */
export function keepAnswer({ text, calls }: ModelReply, clean: (text: string) => string): ModelAnswer {
  let room = LONGEST_ANSWER;
  const fit = (words: string): string => {
    const kept = cut(words, Math.max(0, room));
    room -= words.length;
    return kept;
  };
  return {
    text: fit(cut(clean(withoutThoughts(text)), LONGEST_PART)),
    calls: calls.map(({ name, input }) => ({ name: fit(clean(name)), input: fit(cleanInput(input, clean)) })),
  };
}

/** Arguments are masked and cut word by word where they are JSON: inside of it a secret may be split by escapes. */
function cleanInput(input: string, clean: (text: string) => string): string {
  let value: unknown = input;
  try {
    // Weak models put JSON into a JSON string.
    for (let depth = 0; depth < 2 && typeof value === "string"; depth++) value = JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return cut(clean(input), LONGEST_PART);
    throw error;
  }
  if (isDeeperThan(value, DEEPEST)) return cut(clean(input), LONGEST_PART);
  const tidy = (each: unknown) => (typeof each === "string" ? cut(clean(each), LONGEST_PART) : each);
  return clean(JSON.stringify(value, (_, each: unknown) => tidy(each), 2));
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")} […] (cut: there were ${text.length} characters)`;
}
