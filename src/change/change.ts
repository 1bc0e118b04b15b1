import type { Heard } from "../belief/read-message.ts";
import type { StoredMessage } from "../session/message.ts";
import type { ModelAnswer } from "../state/model-answer.ts";
import type { Edit } from "../state/edit.ts";
import type { Run } from "../state/state.ts";
import type { RememberedOutside } from "./origin-judge.ts";
import type { Outline } from "./read-outline.ts";

/** The memory as it is at the moment of a change. */
export interface MemoryNow {
  scope: string;
  text: string;
  outline: Outline;
  /** What memory/expect.yaml says. */
  expectations: string;
}

/** The talk that a proposal was drawn from; the checks hold it against this. */
export interface Basis {
  session: string;
  messages: readonly StoredMessage[];
  /** What was said before; a page that was read then may still speak now. */
  earlier: readonly StoredMessage[];
  evidence: readonly { fact: string; quote: string; message: string }[];
  /** The same as it was heard, for what a model proposes; the digest by rules has read it itself. */
  heard?: readonly Heard[] | undefined;
  /** What the outside said before all that, in this memory's sessions. */
  remembered?: RememberedOutside;
  /** What the model was shown, where one was. */
  base?: string;
  /** The proposal left out more than half of what it was shown. */
  isShrunken?: boolean;
}

/** An edit that waits for a person, and why. */
export interface HeldEdit {
  edit: Edit;
  reason: string;
}

/** Everything that alters what is believed, as one value: made by planners, looked at by checks, carried out by commit. */
export interface Change {
  /** What the log calls it. */
  cause: string;
  author: "run" | "agent" | "undo";
  /** Who wanted it: a model's name, or `user`. */
  by: string;
  edits: readonly Edit[];
  /** The whole text, where it was given as one: taken byte for byte unless a check holds a part of it. */
  text?: string | undefined;
  /** What is appended to diary and notes. */
  entries: readonly { file: string; entry: string }[];
  /** The session and the stretch of it that this digests; `to` equal to `from` moves no cursor. */
  stretch?: Stretch | undefined;
  basis?: Basis | undefined;
  /** It only brings back what was there before: nothing in it is new. */
  isReturn?: boolean;
  /** What is over the budget of MEMORY.md goes to a note. */
  isFitted?: boolean;
  /** Whoever wants it is told what could not be done: nothing of that waits for a person. */
  isAnswered?: boolean;
  held: readonly HeldEdit[];
  /** Set where all of it waits. */
  heldReason?: string | undefined;
  /** What the model said that this comes from, where one was asked. */
  answer?: ModelAnswer | undefined;
  run?: Partial<Pick<Run, "id" | "outcome" | "reason" | "startedAt" | "usage">>;
  /** The job that this does; it ends with it. */
  job?: { id: number; attempts: number; name: string };
}

/** A stretch of a session, and what is to be told of it in the prompt once the cursor has passed it. */
export interface Stretch {
  session: string;
  path: string;
  identity: string;
  from: number;
  to: number;
  /** The diary entry as the prompt may repeat it: without what came from outside. */
  repeatable?: string | undefined;
}

/** The change with some of its edits put by for a person. */
export function hold(change: Change, reason: string, isHeld: (edit: Edit) => boolean): Change {
  const held = change.edits.filter(isHeld).map((edit) => ({ edit, reason }));
  if (held.length === 0) return change;
  return { ...change, edits: change.edits.filter((edit) => !isHeld(edit)), held: [...change.held, ...held] };
}

/** The change with all of its edits put by for a person. */
export function holdAll(change: Change, reason: string): Change {
  return { ...hold(change, reason, () => true), heldReason: change.heldReason ?? reason };
}
