import type { Memory } from "./memory.ts";
import type { SessionLog } from "./session/log.ts";
import type { Workspace } from "./workspace.ts";

/** The verbs that change what is believed, or wait for a person to decide. */
export type Changes = Pick<
  Memory,
  | "remember"
  | "retire"
  | "pin"
  | "rewrite"
  | "undo"
  | "propose"
  | "proposeFile"
  | "review"
  | "decide"
  | "reconsider"
  | "replaceMemory"
>;

// It is most of the program, and who only looks needs none of it.
const loadChanges = () => import("./change/change-memory.ts");
const loadReview = () => import("./trust/review.ts");

/** These verbs of a memory; what they need is loaded by the first that is called. */
export function lazyChanges(workspace: Workspace, logOf: (key: string) => Promise<SessionLog>): Changes {
  return {
    remember: async (key, input) => (await loadChanges()).rememberFact(workspace, await logOf(key), input),
    retire: async (key, fact, by) => (await loadChanges()).retireFact(workspace, await logOf(key), fact, by),
    pin: async (key, words, by) => (await loadChanges()).pinFact(workspace, await logOf(key), words, by),
    rewrite: async (key, text, by, base, heard) =>
      (await loadChanges()).rewriteMemory(workspace, await logOf(key), text, by, { base, heard }),
    undo: async (wish) => (await import("./trust/undo.ts")).undo(workspace, wish),
    propose: async (key, facts, about) => (await loadChanges()).proposeFacts(workspace, await logOf(key), facts, about),
    proposeFile: async (key, file) =>
      (await import("./change/steering-files.ts")).proposeFile(workspace, await logOf(key), file),
    review: async () => (await loadReview()).listWaiting(workspace),
    decide: async (verdict) => (await loadReview()).decideHeld(workspace, verdict),
    reconsider: async (wish) => (await loadReview()).reconsider(workspace, wish),
    replaceMemory: async (text, key = "", expected) =>
      (await loadChanges()).replaceMemory(workspace, workspace.filesOf(key).scope, text, expected),
  };
}
