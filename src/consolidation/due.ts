import type { Config } from "../config.ts";
import { isAmnesiac, promptBudget } from "../config-schema.ts";
import { hasCalls } from "../session/message.ts";
import type { Message } from "../session/message.ts";

/** A stretch of a session, `[from, to)`, by ordinal. */
export interface Stretch {
  from: number;
  to: number;
}

type Defaults = Config["agents"]["defaults"];

/** How many of the newest messages a consolidation leaves alone. */
export function keptMessages({ keep, memoryWindow, profile }: Defaults): number {
  if (keep !== "half") return keep;
  const half = Math.floor(memoryWindow / 2);
  return profile === "autobot" ? Math.min(10, Math.max(2, half)) : half;
}

/**
 * What is due by count: nothing below the window, else all but the newest, cut where a user's message stands. Someone who
 * asks (`isAsked`) gets whatever is older than the newest, once the session has ever reached the window.
 */
export function dueByCount(
  waiting: readonly Message[],
  cursor: number,
  defaults: Defaults,
  isAsked: boolean,
): Stretch | undefined {
  const { memoryWindow, profile } = defaults;
  if (memoryWindow === 0) return undefined;
  const reaches = (count: number) => (profile === "autobot" ? count > memoryWindow : count >= memoryWindow);
  if (!reaches(isAsked ? cursor + waiting.length : waiting.length)) return undefined;
  return cutAt(waiting, cursor, waiting.length - keptMessages(defaults), reaches(waiting.length));
}

/** What is due by size: when the prompt is over its budget, as many of the oldest turns as bring it to half of that. */
export function dueByTokens(
  waiting: readonly Message[],
  cursor: number,
  size: { fixedTokens: number; countTokens: (message: Message) => number; reportedTokens: number },
  defaults: Defaults,
): Stretch | undefined {
  if (isAmnesiac(defaults)) return undefined;
  const budget = promptBudget(defaults);
  const counts = waiting.map(size.countTokens);
  const estimate = counts.reduce((sum, count) => sum + count, size.fixedTokens);
  const present = Math.max(estimate, size.reportedTokens);
  if (present <= budget) return undefined;
  // The provider's own count scales the estimate, so that half of the budget is half in its measure.
  let rest = present;
  const scale = present / Math.max(1, estimate);
  let index = 0;
  for (; index < waiting.length - 1 && rest > budget / 2; index++) rest -= (counts[index] ?? 0) * scale;
  const next = waiting.findIndex((message, at) => at >= index && message.role === "user");
  return cutAt(waiting, cursor, next > 0 ? next : index, true);
}

/** The whole of what waits; in a log that goes on, up to the turn with a call whose results are still to come. */
export function everything(waiting: readonly Message[], cursor: number, isEnded: boolean): Stretch | undefined {
  const count = isEnded ? waiting.length : openTurnAt(waiting);
  return count === 0 ? undefined : { from: cursor, to: cursor + count };
}

/**
 * Where the turn begins with the first call since the last answer of which not all results are there, whatever others
 * said meanwhile; the end otherwise. What was answered without them waits for them no more.
 */
function openTurnAt(waiting: readonly Message[]): number {
  const answered = waiting.findLastIndex((message) => message.role === "assistant" && !hasCalls(message));
  const results = new Set(waiting.flatMap(({ role, tool_call_id: id }) => (role === "tool" ? [id] : [])));
  const isOpen = (message: Message) => message.tool_calls?.some(({ id }) => !results.has(id)) === true;
  const open = waiting.findIndex((message, index) => index > answered && hasCalls(message) && isOpen(message));
  const ends = resultEnds(waiting);
  if (open < 0) return waiting.length;
  // Replay begins at a user's message: what stands before the first one after the cursor would be hidden.
  const begin = waiting.findLastIndex(({ role }, at) => at <= open && role === "user" && (ends[at - 1] ?? 0) <= at);
  return Math.max(0, begin);
}

/**
 * Cuts at the last user's message at or before `limit`: what stands before a user's message after the cursor would be
 * hidden from replay. Where all that waits is one giant turn, it is cut after a complete group of calls and results.
 */
function cutAt(waiting: readonly Message[], cursor: number, limit: number, isGiant: boolean): Stretch | undefined {
  const ends = resultEnds(waiting);
  for (let at = Math.min(limit, waiting.length - 1); at > 0; at--) {
    if (waiting[at]?.role === "user" && (ends[at - 1] ?? 0) <= at) return { from: cursor, to: cursor + at };
  }
  if (limit <= 0) return undefined;
  const isOneTurn = waiting.every(({ role }, index) => index === 0 || role !== "user");
  const boundary = isGiant && isOneTurn ? groupEnd(waiting, limit, ends) : undefined;
  return boundary === undefined ? undefined : { from: cursor, to: cursor + boundary };
}

/** How far the results of all calls up to each message reach: who said something while tools ran stands before them. */
function resultEnds(waiting: readonly Message[]): number[] {
  let end = 0;
  return resultReach(waiting).map((each) => (end = Math.max(end, each)));
}

/** The place behind the last result of each message's own calls; 0 where it has none. */
export function resultReach(waiting: readonly Message[]): number[] {
  const callers = new Map<string | undefined, number>();
  const reach = waiting.map(() => 0);
  for (const [index, message] of waiting.entries()) {
    for (const { id } of message.tool_calls ?? []) callers.set(id, index);
    const caller = message.role === "tool" ? callers.get(message.tool_call_id ?? undefined) : undefined;
    if (caller !== undefined) reach[caller] = index + 1;
  }
  return reach;
}

/** The end of the last complete group at or before `limit`, else of the first one after it. */
function groupEnd(waiting: readonly Message[], limit: number, ends: readonly number[]): number | undefined {
  let before: number | undefined;
  let open = new Set<string | undefined>();
  let hasGroup = false;
  for (const [index, message] of waiting.entries()) {
    if (message.role === "tool") open.delete(message.tool_call_id ?? undefined);
    else open = new Set(hasCalls(message) ? message.tool_calls?.map(({ id }) => id) : []);
    hasGroup ||= message.role === "tool";
    const isApart = waiting[index + 1]?.role !== "tool" && (ends[index] ?? 0) <= index + 1;
    const isComplete = open.size === 0 && isApart && hasGroup;
    if (!isComplete) continue;
    if (index + 1 > limit) return before ?? index + 1;
    before = index + 1;
  }
  return before;
}
