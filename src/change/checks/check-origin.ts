import { parseQuotation } from "../../belief/quotation.ts";
import type { Edit } from "../../state/edit.ts";
import { hold } from "../change.ts";
import type { Change, MemoryNow } from "../change.ts";
import { createOriginJudge } from "../origin-judge.ts";
import type { OriginJudge } from "../origin-judge.ts";
import { contentWords } from "../said-words.ts";
import type { Given } from "./checks.ts";

/** What stands on what came from outside, and not on the user's word, never enters MEMORY.md by itself. */
export function checkOrigin(change: Change, { memory, config }: Given): Change {
  const { basis } = change;
  // What a person asks for by name is their word.
  if (basis === undefined || change.by === "user") return change;
  const judge = createOriginJudge(
    basis,
    config.trust,
    memory.outline.facts.map(({ text, path }) => [...path, text].join(" ")),
  );
  if (judge === undefined) return change;
  const tools = judge.tools.join(", ") || "a tool";
  const waiting = new Set(change.edits.filter((edit) => isFromOutside(edit, judge, memory)));
  const reason =
    change.author === "run"
      ? `${waiting.size} of its changes rest on what ${tools} brought from outside, not on anyone's word`
      : `it rests on what ${tools} brought from outside, not on the user's word`;
  const checked = hold(change, reason, (edit) => waiting.has(edit));
  const marked = checked.held.map((held) => (waiting.has(held.edit) ? { ...held, edit: markEdit(held.edit) } : held));
  return { ...checked, held: marked };
}

function markEdit(edit: Edit): Edit {
  if ((edit.kind !== "add" && edit.kind !== "replace") || edit.source === null) return edit;
  return { ...edit, source: { ...edit.source, origin: "untrusted" } };
}

function isFromOutside(edit: Edit, judge: OriginJudge, memory: MemoryNow): boolean {
  // A page that says "forget what you know" must not be obeyed either.
  if (edit.kind === "remove") return edit.heir === undefined && !judge.mayGo(edit.text, edit.reason);
  if (edit.kind === "move") return !judge.mayGo(edit.text, edit.reason);
  if (edit.kind === "replace") {
    const isShorter = [...contentWords(edit.words)].every((word) => contentWords(edit.text).has(word));
    return (
      judge.isOutside(quotedIn(edit.words)) ||
      hidesOutside({ text: edit.words, lines: edit.lines }, judge) ||
      (isShorter && losesMeaning(edit) && !judge.mayGo(edit.text, edit.reason))
    );
  }
  if (judge.isOutside(quotedIn(edit.text)) || hidesOutside(edit, judge)) return true;
  const known = new Set(memory.outline.facts.flatMap(({ path }) => path));
  return edit.path.some((title) => !known.has(title) && judge.isOutsideTitle(title));
}

/** Of a quotation its words: when it was said, and what it marks, are ours. */
function quotedIn(text: string): string {
  return parseQuotation(text)?.words ?? text;
}

/** Whether its lines bring in more than the fact says: a comment, the address of a link. */
function hidesOutside({ text, lines }: { text: string; lines: readonly string[] }, judge: OriginJudge): boolean {
  const words = contentWords(text);
  const more = lines.join(" ").match(/<!--[\s\S]*?(?:-->|$)|\]\([^)]*\)?/g) ?? [];
  return more.some((part) => [...contentWords(part)].some((word) => !words.has(word)) && judge.isOutside(part));
}

const TELLING = /\b(?:not|no|never|only|without|nicht|kein\w*|nie|nur)\b|n['’]t\b|\d+/giu;

/** Whether a shorter wording leaves out a number, a "not" or an "only". */
function losesMeaning({ text, words }: Extract<Edit, { kind: "replace" }>): boolean {
  const left = new Set([...words.matchAll(TELLING)].map(([word]) => word.toLowerCase()));
  return [...text.matchAll(TELLING)].some(([word]) => !left.has(word.toLowerCase()));
}
