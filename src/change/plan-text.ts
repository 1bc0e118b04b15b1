import type { Basis, Draft, MemoryNow } from "./draft.ts";
import { editsBetween } from "./edits-between.ts";
import type { Trace } from "./edits-between.ts";

/** A whole text to be put in the place of MEMORY.md, and why. */
export interface WholeText {
  text: string;
  cause: Draft["cause"];
  of?: string | undefined;
  author: Draft["author"];
  by: string;
  /** Why facts go that the text leaves out. */
  reason: string;
  trace: Trace;
  basis?: Basis | undefined;
  isReturn?: boolean;
  decision?: Draft["decision"];
}

/** Puts another text in the place of MEMORY.md, byte for byte; undefined where it is that text already. */
export function planText(memory: MemoryNow, { text, reason, trace, ...change }: WholeText): Draft | undefined {
  if (text === memory.text) return undefined;
  return { ...change, text, edits: editsBetween(memory.text, text, reason, trace), entries: [], held: [] };
}
