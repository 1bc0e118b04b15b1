import { MEMORY_FILE } from "../files/memory-files.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { parseFacts } from "../files/facts.ts";
import type { SessionLog } from "../session/log.ts";
import type { Apply, RetiredFact, SourcedFact } from "../state/state.ts";
import { formatTimestamp } from "../time.ts";
import { finishPending, noteOutsideEdit } from "./apply.ts";
import type { World } from "./world.ts";

/** A change to MEMORY.md that no digest made: a fact said to be remembered or forgotten, or an undo. */
export interface MemoryChange {
  text: string;
  facts: SourcedFact[];
  retired: RetiredFact[];
  /** What the log calls it. */
  cause: string;
  author: "run" | "agent" | "undo";
  /** Who wanted it: a model's name, or `user`. */
  by: string;
  /** A proposal that is left for a person to decide. */
  held?: unknown;
}

/** Whose memory is changed: that of a session, or that of a scope when no session asks for it. */
export type ChangePlace = SessionLog | { scope: string };

/** Works out a change under the memory's lock and carries it out, with a revision and the sources of its facts. */
export async function changeMemory<T>(
  world: World,
  place: ChangePlace,
  plan: (current: string, files: MemoryFiles) => Promise<{ change?: MemoryChange; result: T }>,
  maxWaitMs?: number,
): Promise<T> {
  const files = "scope" in place ? world.filesOfScope(place.scope) : world.filesOf(place.key);
  return files.exclusively(async () => {
    await finishPending(world, files);
    const current = await files.read(MEMORY_FILE);
    await noteOutsideEdit(world, files, current);
    const { change, result } = await plan(current, files);
    if (change === undefined) return result;
    await world.state.prepareApply(toApply(world, place, files.scope, current, change));
    await finishPending(world, files);
    return result;
  }, maxWaitMs);
}

function toApply(world: World, place: ChangePlace, scope: string, current: string, change: MemoryChange): Apply {
  const log = "scope" in place ? undefined : place;
  const at = formatTimestamp(world.now(), world.timezone);
  const { facts, retired } = change;
  const replaced = retired.filter(({ replacedBy }) => replacedBy !== null).length;
  return {
    run: {
      id: world.newId(),
      scope,
      session: log?.key ?? "",
      // It covers no stretch of the session: the cursor stays.
      from: log?.cursor ?? 0,
      to: log?.cursor ?? 0,
      cause: change.cause,
      model: change.by,
      outcome: "consolidated",
      reason: null,
      startedAt: at,
      finishedAt: at,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      counts: {
        kept: parseFacts(current).length - retired.length,
        added: facts.length - replaced,
        reworded: replaced,
        retired: retired.length - replaced,
      },
    },
    author: change.author,
    log: log === undefined ? null : { path: log.path, identity: log.identity },
    diary: null,
    notes: [],
    memory: change.text === current ? null : { base: current, before: current, after: change.text },
    facts,
    retired,
    held: change.held ?? null,
  };
}
