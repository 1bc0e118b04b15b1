import { textsIn } from "../language/texts-in.ts";
import { parseIfJson } from "../parse-if-json.ts";
import { Change, hashText } from "../history/change.ts";
import type { Entry, Held, TextChange } from "../history/change.ts";
import type { ModelAnswer } from "../history/model-answer.ts";
import { applyPatch, changedParts, makePatch, WHOLE_EVERY } from "../history/text-patch.ts";
import type { Workspace } from "../workspace.ts";
import { eraseEdit, FORGOTTEN } from "./erase-edit.ts";
import type { Eraser } from "./eraser.ts";

// As far as one fact reaches, and more.
const LINES_AROUND = 12;

/** Takes something out of every log of changes; how many changes it touched. A trial only counts. */
export async function eraseChanges({ changes }: Workspace, eraser: Eraser, isTrial: boolean): Promise<number> {
  let touched = 0;
  for (const scope of await changes.scopes()) {
    const lines: string[] = [];
    for (let place = await changes.read(scope); place !== undefined; place = await changes.read(scope, place)) {
      for (const line of place.lines) lines.push(line);
      if (!place.isMore) break;
    }
    const mayHold = (line: string) =>
      eraser.mayTouch(line, scope) || goesWhole(line, eraser) || holdsOutsideWord(line, eraser);
    if (!eraser.isScope(scope) && !lines.some(mayHold)) continue;
    const erased = eraseLines(lines, scope, eraser);
    touched += erased.touched;
    if (erased.touched > 0 && !isTrial) await changes.rewrite(scope, erased.lines);
  }
  return touched;
}

function goesWhole(line: string, eraser: Eraser): boolean {
  // The id is the first field, and a quick look must not parse every line.
  const [, id = ""] = /^\{"id":"([^"]*)"/.exec(line) ?? [];
  return eraser.isChange(id);
}

/** Words from outside are on record by their hashes alone. */
function holdsOutsideWord(line: string, eraser: Eraser): boolean {
  for (const [, hash = ""] of line.matchAll(/"hash":"([^"]*)"/g)) if (eraser.isOutsideWord(hash)) return true;
  return false;
}

/** The texts of a file, before and after the erasure, as its changes pass. */
interface Passing {
  whole: string;
  clean: string;
  /** The last text, where nothing had to be taken out of it: then only what changed since can carry it. */
  known: string;
  sinceWhole: number;
}

function eraseLines(lines: readonly string[], scope: string, eraser: Eraser): { lines: string[]; touched: number } {
  if (eraser.isScope(scope)) return { lines: [], touched: lines.length };
  const left: string[] = [];
  const texts = new Map<string, Passing>();
  let touched = 0;
  for (const line of lines) {
    const parsed = Change.safeParse(parseIfJson(line));
    if (!parsed.success) {
      if (eraser.hits(line)) touched++;
      else left.push(line);
      continue;
    }
    const { change, isTouched } = eraseChange(parsed.data, scope, eraser, texts);
    if (isTouched) touched++;
    if (change !== undefined) left.push(JSON.stringify(change));
  }
  return { lines: left, touched };
}

function eraseChange(
  change: Change,
  scope: string,
  eraser: Eraser,
  texts: Map<string, Passing>,
): { change: Change | undefined; isTouched: boolean } {
  const scrub = <T extends string | null>(text: T): T | typeof FORGOTTEN =>
    text !== null && eraser.hits(text) ? FORGOTTEN : text;
  const isWhole = eraser.isChange(change.id);
  const { text, isTextTouched } = eraseTextChange(change.text, scope, eraser, texts);
  const edits = change.edits.flatMap((edit) => eraseEdit(edit, eraser, scope));
  const shared = { ...change, text, edits };
  const cleaned: Change = isWhole
    ? // It goes with its session or its time; what it did to a file that stays is still part of that file's story.
      { ...shared, reason: null, stretch: null, entries: [], held: null, answer: undefined, outside: undefined }
    : {
        ...shared,
        trigger: scrub(change.trigger),
        reason: scrub(change.reason),
        stretch: eraseStretch(change.stretch, eraser),
        entries: eraseEntries(change.entries, eraser),
        held: eraseHeld(change.held, eraser),
        outside: eraseOutside(change.outside, eraser),
        answer: change.answer && answerHits(change.answer, scope, eraser) ? undefined : change.answer,
      };
  const isTouched = isTextTouched || isWhole || describe(cleaned) !== describe(change);
  // A change that brought nothing but what is forgotten is a change no more.
  const isEmpty = cleaned.text === null && cleaned.entries.length === 0 && cleaned.held === null;
  const isBare = isEmpty && cleaned.decision === null && cleaned.stretch === null && cleaned.outside === undefined;
  const isRecord = !isWhole && change.text === null;
  return { change: isTouched && isBare && !isRecord ? undefined : cleaned, isTouched };
}

/** All of a change but the text, which is a difference to one that may have changed. */
function describe(change: Change): string {
  return JSON.stringify({ ...change, text: null });
}

/** The text of a change without it, as a difference to the one before it, which may have lost something, too. */
function eraseTextChange(
  text: TextChange | null,
  scope: string,
  eraser: Eraser,
  texts: Map<string, Passing>,
): { text: TextChange | null; isTextTouched: boolean } {
  if (text === null) return { text, isTextTouched: false };
  const { file } = text;
  const before = texts.get(file) ?? { whole: "", clean: "", known: "", sinceWhole: WHOLE_EVERY };
  const isKnown = text.whole !== undefined || hashText(before.whole) === text.before;
  // A line before it is damaged: nobody knows this text, and nobody could say what of it goes.
  if (!isKnown) texts.delete(file);
  if (!isKnown) return { text: null, isTextTouched: true };
  const whole = text.whole ?? applyPatch(before.whole, text.patch ?? []);
  const parts = before.known === "" ? [whole] : changedParts(before.known, whole, LINES_AROUND);
  const isClean = parts.every((part) => !eraser.mayTouch(part, scope) || eraser.erase(part, scope) === part);
  const clean = isClean ? whole : eraser.erase(whole, scope);
  const isDue = before.sinceWhole >= WHOLE_EVERY - 1;
  texts.set(file, { whole, clean, known: isClean ? whole : "", sinceWhole: isDue ? 0 : before.sinceWhole + 1 });
  if (clean === before.clean) return { text: null, isTextTouched: true };
  const hashes = { file, before: hashText(before.clean), after: hashText(clean) };
  const next = isDue ? { ...hashes, whole: clean } : { ...hashes, patch: makePatch(before.clean, clean) };
  return { text: next, isTextTouched: clean !== whole };
}

function eraseStretch(stretch: Change["stretch"], eraser: Eraser): Change["stretch"] {
  if (stretch?.summary === undefined || !eraser.hits(stretch.summary)) return stretch;
  const { summary: _, ...rest } = stretch;
  return rest;
}

function eraseEntries(entries: readonly Entry[], eraser: Eraser): Entry[] {
  return entries.flatMap((each) => {
    if (eraser.isNote(each.file)) return [];
    const entry = eraser.eraseEntry(each.entry).trim();
    if (entry === each.entry.trim()) return [each];
    return entry === "" ? [] : [{ ...each, entry }];
  });
}

function eraseHeld(held: Held | null, eraser: Eraser): Held | null {
  if (held === null) return null;
  const items = held.items.filter((item) => !textsIn(item).some((text) => eraser.hits(text)));
  const reason = eraser.hits(held.reason) ? FORGOTTEN : held.reason;
  return items.length === 0 ? null : { ...held, reason, items };
}

function eraseOutside(outside: Change["outside"], eraser: Eraser): Change["outside"] {
  if (outside === undefined) return undefined;
  const { words, messages, files } = outside;
  return {
    ...(words ? { words: words.filter(({ hash }) => !eraser.isOutsideWord(hash)) } : {}),
    ...(messages ? { messages } : {}),
    ...(files ? { files: files.filter(({ path }) => !eraser.hits(path)) } : {}),
  };
}

/** Whether what a model answered carries what is forgotten; it repeats the memory that it was shown, and so others' facts. */
function answerHits({ text, calls }: ModelAnswer, scope: string, eraser: Eraser): boolean {
  return [text, ...calls.flatMap(({ input }) => [input, ...textsInJson(input)])].some(
    (each) => eraser.hits(each) || eraser.erase(each, scope) !== each,
  );
}

/** The words inside of JSON, where quotes and line ends are no longer escaped; as well as may be if it was cut. */
function textsInJson(json: string): string[] {
  try {
    const texts: string[] = [];
    JSON.parse(json, (key, value: unknown) => {
      texts.push(key);
      if (typeof value === "string") texts.push(value);
      return value;
    });
    return texts;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      return [json.replaceAll(/\\n/g, "\n").replaceAll(/\\(["\\/])/g, "$1")];
    throw error;
  }
}
