import { parseFacts } from "../files/facts.ts";
import { HISTORY_FILE, MEMORY_FILE } from "../files/memory-files.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import type { Apply, RetiredFact, Run, SourcedFact } from "../state/state.ts";
import { formatDay, formatTimestamp } from "../time.ts";
import { planMemory } from "./plan.ts";
import { extendSummary } from "./summary.ts";
import type { World } from "./world.ts";

/** What a run wants done, once it is decided. */
export interface Decision {
  run: Run;
  entry: string;
  overflow: { file: string; entry: string } | undefined;
  /** `base` is what the plan was made from; undefined when memory stays as it is. */
  memory: { base: string; before: string; after: string } | undefined;
  facts: SourcedFact[];
  retired: RetiredFact[];
  held?: unknown;
  /** The entry as the prompt may repeat it: without what came from outside. The entry itself when not given. */
  told?: string;
}

/**
 * Carries out a decision as one transaction over several files: written to the journal first, then diary, memory and
 * cursor, then the record of it. The caller holds the memory's lock.
 */
export async function applyDecision(
  world: World,
  files: MemoryFiles,
  log: NonNullable<Apply["log"]>,
  decision: Decision,
): Promise<void> {
  const { run, entry, overflow } = decision;
  const diaryFile = world.config.history.enabled ? HISTORY_FILE : `${formatDay(world.now(), world.timezone)}.md`;
  const prepare = async (file: string, text: string) => ({ file, ...(await files.prepareEntry(file, text)) });
  const diary = await prepare(diaryFile, entry);
  const apply: Apply = {
    run,
    log,
    diary,
    notes: overflow === undefined ? [] : [await prepare(overflow.file, overflow.entry)],
    memory: decision.memory ?? null,
    facts: decision.facts,
    retired: decision.retired,
    held: decision.held ?? null,
    summary: await summaryAfter(world, run.session, log.identity, decision.told ?? entry),
  };
  await world.state.prepareApply(apply);
  await carryOut(world, files, apply);
}

/** Finishes what a crash left half-done, exactly once. The caller holds the memory's lock. */
export async function finishPending(world: World, files: MemoryFiles): Promise<number> {
  const pending = await world.state.pendingApplies(files.scope);
  for (const apply of pending) await carryOut(world, files, apply);
  return pending.length;
}

/** Each step looks first whether it was done before. */
async function carryOut(world: World, files: MemoryFiles, apply: Apply): Promise<void> {
  for (const note of [...(apply.diary ? [apply.diary] : []), ...apply.notes]) await files.finishEntry(note.file, note);
  if (apply.memory) apply.memory.after = await replaceMemory(world, files, apply.memory, apply.run.cause);
  if (apply.log) await moveCursor(world, apply, apply.log.identity);
  await world.state.finishApply(apply);
}

async function moveCursor(world: World, { run, summary }: Apply, identity: string): Promise<void> {
  for (;;) {
    const log = await world.findLog(run.session, identity);
    if (log === undefined)
      return world.emit({ type: "notice", text: `The session ${run.session} is gone; its digest was kept` });
    // Moved away by /new since it was found: then it is looked for again, in the archive.
    if (await log.moveCursor(run.to, identity, summary === undefined ? {} : { summary })) return;
  }
}

/** The session's summary with this stretch in it. */
async function summaryAfter(world: World, session: string, identity: string, entry: string): Promise<string> {
  const before = (await world.findLog(session, identity))?.metadata["summary"];
  return extendSummary(typeof before === "string" ? before : "", entry);
}

/** Writes the planned text; what a person wrote between the plan and now is merged, not overwritten. */
async function replaceMemory(
  world: World,
  files: MemoryFiles,
  memory: { before: string; after: string },
  cause: string,
): Promise<string> {
  for (;;) {
    const current = await files.read(MEMORY_FILE);
    if (current === memory.after) return current;
    await noteOutsideEdit(world, files, current);
    const text =
      current === memory.before
        ? memory.after
        : planMemory(memory.before, memory.after, current, removalsOf(memory, cause)).text;
    if (text === current || (await files.replace(MEMORY_FILE, current, text))) return text;
  }
}

/** What the plan took out was reasoned already; the second merge must not bring it back. */
function removalsOf(
  { before, after }: { before: string; after: string },
  cause: string,
): { fact: string; reason: string }[] {
  const kept = new Set(parseFacts(after).map(({ text }) => text));
  const gone = parseFacts(before).filter(({ text }) => !kept.has(text));
  return gone.map(({ text }) => ({ fact: text, reason: cause }));
}

/** A text that no revision knows was written by a person: it becomes one before anything else happens to it. */
export async function noteOutsideEdit(world: World, files: MemoryFiles, text: string): Promise<boolean> {
  return world.state.recordRevision({
    scope: files.scope,
    file: MEMORY_FILE,
    text,
    author: "person",
    cause: "edited outside Tidemark",
    run: null,
    at: formatTimestamp(world.now(), world.timezone),
  });
}
