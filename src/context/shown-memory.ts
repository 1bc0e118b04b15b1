import { parseFacts } from "../change/read-outline.ts";

const LONGEST_NEWS = 2000;

/** What of MEMORY.md stands in the system prompt, and what is told beside the next message. */
export interface ShownMemory {
  text: string;
  /** Facts that came since, and that the conversation does not hold yet. */
  news: string[];
}

/**
 * Decides which state of MEMORY.md a request shows. While facts are only added, the state that the cycle began with
 * stays in the prompt, so that a provider's cache keeps serving, and the new facts go with the user's message. Once a
 * fact is gone or reworded the present state is shown: what was forgotten must not stay in front of the model.
 */
export function chooseShownMemory(current: string, earlier: string | undefined, said: string): ShownMemory {
  if (earlier === undefined || earlier === current) return { text: current, news: [] };
  const present = new Set(parseFacts(current).map(({ text }) => text));
  const shown = new Set(parseFacts(earlier).map(({ text }) => text));
  if ([...shown].some((fact) => !present.has(fact))) return { text: current, news: [] };
  const news = [...present].filter((fact) => !shown.has(fact) && !said.includes(fact));
  // So much news is better read in its place.
  return news.join("\n").length > LONGEST_NEWS ? { text: current, news: [] } : { text: earlier, news };
}
