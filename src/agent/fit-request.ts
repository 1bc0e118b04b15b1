import { MemoryError } from "../errors.ts";
import type { ModelMessage, ToolDefinition } from "../model/model.ts";
import { mostTokens, openTokenizer } from "../model/tokens.ts";

/** The parts of a request; `turn` is what this turn said, and must go out whole. */
export interface RequestParts {
  system: readonly string[];
  tools: readonly ToolDefinition[];
  earlier: readonly ModelMessage[];
  turn: readonly ModelMessage[];
}

/** Tokens of a request, at most; counted only when the free bound is over the budget. */
export async function estimateRequest(parts: RequestParts, budget: number, scale = 1): Promise<number> {
  const texts = [
    parts.system.join(""),
    ...[...parts.tools, ...parts.earlier, ...parts.turn].map((each) => JSON.stringify(each)),
  ];
  const most = texts.reduce((sum, text) => sum + mostTokens(text), 0);
  if (most <= budget) return most;
  const count = await openTokenizer();
  // Four for each message's frame; the provider's own count scales ours where it was higher.
  return Math.ceil(texts.reduce((sum, text) => sum + count(text) + 4, 0) * Math.max(1, scale));
}

/** Refuses a turn that would be too large even with nothing before it. */
export async function checkTurnFits(parts: RequestParts, budget: number, scale: number): Promise<void> {
  const alone = await estimateRequest({ ...parts, earlier: [] }, budget, scale);
  if (alone <= budget) return;
  const prompt = await estimateRequest({ ...parts, earlier: [], turn: [] }, budget, scale);
  if (prompt > budget) {
    throw new MemoryError(
      "REQUEST_TOO_LARGE",
      `The system prompt alone needs about ${prompt} tokens, but only ${budget} fit; nothing was sent. Shorten AGENTS.md, SOUL.md, USER.md, TOOLS.md or the always-on skills, or raise agents.defaults.contextWindowTokens.`,
    );
  }
  throw new MemoryError(
    "REQUEST_TOO_LARGE",
    `This message needs about ${alone} tokens, but only ${budget} fit (agents.defaults.contextWindowTokens less the answer); it was not sent. Shorten it, or put it in a file and name the file.`,
  );
}

/** Leaves out the oldest turns until the rest fits; they stay in the session. */
export async function dropOldestTurns(parts: RequestParts, budget: number, scale: number): Promise<RequestParts> {
  const count = await openTokenizer();
  let rest = budget - (await estimateRequest({ ...parts, earlier: [] }, budget, scale));
  let start = parts.earlier.length;
  for (const [index, message] of [...parts.earlier.entries()].toReversed()) {
    rest -= (count(JSON.stringify(message)) + 4) * Math.max(1, scale);
    if (rest < 0) break;
    if (message.role === "user") start = index;
  }
  return { ...parts, earlier: parts.earlier.slice(start) };
}
