import { withoutHarness } from "../door/without-harness.ts";
import { skip } from "./found.ts";
import type { Found, NamedMessage } from "./found.ts";
import type { Source } from "./source.ts";
import { calledIds } from "./start-talk.ts";

const UNFINISHED_FOR_MS = 10 * 60 * 1000;

/**
 * The conversations as they were said: what the program put beside the user's words is kept apart from them, and calls
 * that are still at work are left for the next import, which brings them with their results.
 */
export function ownTalks(found: Found, source: Source, now: Date): Map<string, NamedMessage[]> {
  const talks = new Map<string, NamedMessage[]>();
  for (const [session, all] of found.talks) {
    const said = source.addsText ? named(withoutHarness(all)) : all;
    for (let left = all.length - said.length; left > 0; left -= 1)
      skip(found, session, "message", "the program wrote it, not the user or the model");
    const messages = withoutUnfinished(said, now);
    if (messages.length < said.length) skip(found, session, "message", "its tools are still running");
    if (messages.length > 0) talks.set(session, messages);
  }
  return talks;
}

/** Every message has an id already; the other form does not say so. */
function named(messages: ReturnType<typeof withoutHarness>): NamedMessage[] {
  return messages.flatMap(({ id, ...message }) => (id === undefined ? [] : [{ ...message, id }]));
}

function withoutUnfinished(messages: readonly NamedMessage[], now: Date): NamedMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const answer = messages[last];
  const at = typeof answer?.timestamp === "string" ? Date.parse(answer.timestamp) : Number.NaN;
  const isRecent = now.getTime() - at < UNFINISHED_FOR_MS;
  const results = new Set(messages.slice(last + 1).map(({ tool_call_id }) => tool_call_id));
  const isOpen = answer !== undefined && calledIds(answer).some((id) => !results.has(id));
  // A program that was stopped leaves such calls for good: those that are old come as they are.
  return isOpen && isRecent ? messages.slice(0, last) : [...messages];
}
