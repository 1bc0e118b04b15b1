import { MemoryError } from "../errors.ts";
import { parseFacts } from "../files/facts.ts";
import { MEMORY_FILE } from "../files/memory-files.ts";
import type { Revision, Run, State } from "../state/state.ts";

/** One change of MEMORY.md: a revision, what it came from, and what it did to the facts. */
export interface Change {
  revision: Revision;
  before: string;
  added: string[];
  removed: string[];
}

/** Every change of a scope's MEMORY.md, oldest first, or the newest `last` of them. */
export async function listChanges(state: State, scope: string, last = Infinity): Promise<Change[]> {
  const revisions = await state.listRevisions(scope, MEMORY_FILE);
  const start = Math.max(0, revisions.length - last);
  let before = revisions[start - 1]?.text ?? "";
  // Each text is read once: it is what one revision came to and the next began with.
  let old = factsOf(before);
  return revisions.slice(start).map((revision) => {
    const next = factsOf(revision.text);
    const change = { revision, before, added: without(next, old), removed: without(old, next) };
    before = revision.text;
    old = next;
    return change;
  });
}

/** Which facts came and which went. */
export function diffFacts(before: string, after: string): { added: string[]; removed: string[] } {
  const old = factsOf(before);
  const next = factsOf(after);
  return { added: without(next, old), removed: without(old, next) };
}

// Revisions never change, and are asked for again and again; what was read of the newest ones is kept.
const KEPT_CHARACTERS = 16_000_000;
const known = new Map<string, ReadonlySet<string>>();
let keptCharacters = 0;

function factsOf(text: string): ReadonlySet<string> {
  const found = known.get(text);
  if (found) return found;
  const facts = new Set(parseFacts(text).map((fact) => fact.text));
  known.set(text, facts);
  keptCharacters += text.length;
  for (const [oldest] of known) {
    if (keptCharacters <= KEPT_CHARACTERS) break;
    known.delete(oldest);
    keptCharacters -= oldest.length;
  }
  return facts;
}

function without(facts: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...facts].filter((fact) => !others.has(fact));
}

/** What a person means by an id: a run (its id, or the beginning of it) or a revision's number. */
export interface Target {
  run: Run | undefined;
  change: Change | undefined;
}

/** Finds a run or a revision by what a person calls it. */
export async function findTarget(state: State, id: string): Promise<Target> {
  const number = /^r?(\d+)$/.exec(id)?.[1];
  const scopes = await state.listScopes();
  const changes = (await Promise.all(scopes.map((scope) => listChanges(state, scope)))).flat();
  const byNumber = changes.find(({ revision }) => String(revision.id) === number);
  if (byNumber) {
    const [run] = byNumber.revision.run === null ? [] : await state.findRuns(byNumber.revision.run);
    return { run, change: byNumber };
  }
  const runs = id === "" ? [] : await state.findRuns(id);
  const exact = runs.find((run) => run.id === id) ?? runs[0];
  if (exact === undefined) {
    throw new MemoryError("NOT_FOUND", `There is no run or revision ${id}; \`tidemark log\` shows those there are`);
  }
  if (runs.length > 1 && exact.id !== id) {
    throw new MemoryError("NOT_FOUND", `${id} could be any of ${runs.map((run) => run.id).join(", ")}`);
  }
  return { run: exact, change: changes.findLast(({ revision }) => revision.run === exact.id) };
}
