import type { Basis, Change, MemoryNow } from "./change.ts";
import { editsBetween } from "./edits-between.ts";
import type { Trace } from "./edits-between.ts";

/** A whole text to be put in the place of MEMORY.md, and why. */
export interface WholeText {
  text: string;
  cause: string;
  author: Change["author"];
  by: string;
  /** Why facts go that the text leaves out. */
  reason: string;
  trace: Trace;
  basis?: Basis | undefined;
  isReturn?: boolean;
}

/** Puts another text in the place of MEMORY.md, byte for byte; undefined where it is that text already. */
export function planText(memory: MemoryNow, { text, reason, trace, ...change }: WholeText): Change | undefined {
  if (text === memory.text) return undefined;
  return { ...change, text, edits: editsBetween(memory.text, text, reason, trace), entries: [], held: [] };
}
