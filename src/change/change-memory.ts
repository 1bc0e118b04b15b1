import { readForgettingMark } from "../files/forgotten.ts";
import { maskNew } from "../files/mask-secrets.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { SessionLog } from "../session/log.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Workspace } from "../workspace.ts";
import type { Basis, MemoryNow } from "./draft.ts";
import { commit } from "./commit.ts";
import type { Planned } from "./commit.ts";
import { planImport } from "./plan-import.ts";
import type { ImportedFact, ImportedFrom } from "./plan-import.ts";
import { planPin, planRemember, planRetire } from "./plan-remember.ts";
import type { FactInput, FactReceipt } from "./plan-remember.ts";
import type { FactName } from "./read-outline.ts";
import { planText } from "./plan-text.ts";
import { recallOutside } from "./remembered-outside.ts";
import { traceFact } from "./trace-fact.ts";

// What was read this long ago is still held against what an agent wants to write.
const BASIS_MESSAGES = 100;

/** Puts a fact into MEMORY.md, now, with its source. */
export async function rememberFact(workspace: Workspace, log: SessionLog, input: FactInput): Promise<FactReceipt> {
  const heard = input.heard ?? (await readForgettingMark(workspace.documents));
  const fact = workspace.clean(input.fact);
  const texts = [fact, input.heading ?? ""];
  return changeFact(workspace, log, { texts, heard }, (memory, basis) =>
    planRemember(memory, { ...input, fact }, basis),
  );
}

/** Takes a fact out of MEMORY.md; what was said stays. */
export async function retireFact(
  workspace: Workspace,
  log: SessionLog,
  fact: string | FactName,
  by: string,
): Promise<FactReceipt> {
  const texts = [typeof fact === "string" ? fact : fact.text, await workspace.filesOf(log.key).read(MEMORY_FILE)];
  return changeFact(workspace, log, { texts }, (memory, basis) => planRetire(memory, fact, by, basis));
}

/** Moves a fact to where it stays when MEMORY.md must make room. */
export async function pinFact(workspace: Workspace, log: SessionLog, words: string, by: string): Promise<FactReceipt> {
  const texts = [words, await workspace.filesOf(log.key).read(MEMORY_FILE)];
  return changeFact(workspace, log, { texts }, (memory, basis) => planPin(memory, words, by, basis));
}

async function changeFact(
  workspace: Workspace,
  log: SessionLog,
  { texts, heard }: { texts: readonly string[]; heard?: string },
  plan: (memory: Parameters<typeof planRemember>[0], basis: Basis) => Planned<FactReceipt>,
): Promise<FactReceipt> {
  const { scope } = workspace.filesOf(log.key);
  const basis = await basisOf(workspace, log, texts);
  const { result, done, refused } = await commit(workspace, scope, (memory) => withStretch(log, plan(memory, basis)), {
    heard,
  });
  const [stays] = refused;
  if (stays) return { kind: "unclear", reason: `"${stays.edit.text}" stays: ${stays.reason}`, candidates: [] };
  const [held] = done?.held ?? [];
  if (held === undefined) return result;
  const reason = `${held.reason}; it is waiting for the user to decide (tidemark review)`;
  return { kind: "unclear", reason, candidates: [] };
}

/** What came of a whole text. */
export interface Rewritten {
  kind: "written" | "nothing" | "changed-meanwhile";
  /** Changes that wait for a person, because they stand on outside sources. */
  waiting: string[];
}

/**
 * Puts an agent's text in the place of MEMORY.md; what stands on outside sources waits in the review. Where the agent
 * says what it read (`base`), a text that was changed since is left alone.
 */
export async function rewriteMemory(
  workspace: Workspace,
  log: SessionLog,
  proposed: string,
  by: string,
  { base, heard }: { base?: string | undefined; heard?: string | undefined } = {},
): Promise<Rewritten> {
  const since = heard ?? (await readForgettingMark(workspace.documents));
  const { scope } = workspace.filesOf(log.key);
  const basis = await basisOf(workspace, log, [proposed]);
  const plan = (memory: MemoryNow): Planned<Rewritten["kind"]> => {
    if (base !== undefined && base !== memory.text) return { result: "changed-meanwhile" };
    const change = planText(memory, {
      text: maskNew(proposed, memory.text),
      cause: "edit",
      author: "agent",
      by,
      reason: "edited",
      trace: (text, { path }) => traceFact({ text, path }, [], basis.messages, log.key),
      basis,
    });
    return withStretch(log, { change, result: change === undefined ? "nothing" : "written" });
  };
  const { result, done } = await commit(workspace, scope, plan, { heard: since });
  const kind = done && done.before === done.after ? "nothing" : result;
  return { kind, waiting: (done?.held ?? []).map(({ edit }) => wordsAfter(edit) ?? edit.text) };
}

/** Puts a program's text in the place of MEMORY.md; with `expected`, only if the file still says that. */
export async function replaceMemory(
  workspace: Workspace,
  scope: string,
  text: string,
  expected?: string,
): Promise<boolean> {
  const { result } = await commit(workspace, scope, (memory) => {
    if (expected !== undefined && expected !== memory.text) return { result: false };
    const change = planText(memory, {
      text: maskNew(text, memory.text),
      cause: "edit",
      author: "agent",
      by: "program",
      reason: "replaced",
      trace: () => null,
    });
    return { change, result: true };
  });
  return result;
}

/** Puts what another agent believed before a person, fact by fact. */
export async function proposeFacts(
  workspace: Workspace,
  log: SessionLog,
  facts: readonly ImportedFact[],
  { change, from, heard }: ImportedFrom,
): Promise<void> {
  const { key: session, identity } = log;
  const stretch = { session, identity, from: 0, to: 0 };
  const plan = () => ({ change: planImport(facts, { change, stretch, from }), result: undefined });
  await commit(workspace, workspace.filesOf(session).scope, plan, { heard });
}

/** What an agent's wish is held against: what was said, and read, of late. */
async function basisOf(workspace: Workspace, log: SessionLog, texts: readonly string[]): Promise<Basis> {
  await log.load();
  const messages = await log.before(log.length, BASIS_MESSAGES, log.identity);
  const remembered = await recallOutside(workspace, workspace.filesOf(log.key).scope, texts);
  return { session: log.key, messages, earlier: [], evidence: [], remembered };
}

/** A change that a session asks for is on its record; it covers no stretch, and the cursor stays. */
function withStretch<T>(log: SessionLog, { change, result }: Planned<T>): Planned<T> {
  const { key: session, identity, cursor } = log;
  return { change: change && { ...change, stretch: { session, identity, from: cursor, to: cursor } }, result };
}
