import { textsIn } from "../language/texts-in.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import type { Eraser } from "./eraser.ts";

/** What stands in the place of what was forgotten. */
export const FORGOTTEN = "[forgotten]";

/** What is left of an edit: nothing, all of it, or the half that does not carry what is forgotten. */
export function eraseEdit(edit: Edit, eraser: Eraser, scope: string): Edit[] {
  const hits = (value: unknown) => textsIn(value).some((text) => text.trim() !== "" && eraser.hits(text));
  // Facts in the same words under other headings are others'.
  const isGone = (path: readonly string[], text: string | null | undefined) =>
    typeof text === "string" && eraser.isGone({ path, text, place: edit.place }, scope);
  const isTheirs = "source" in edit && edit.source?.session && eraser.isSession(edit.source.session);
  if (isTheirs) return eraseEdit({ ...edit, source: null }, eraser, scope);
  const { file, path, text, place } = edit;
  const follows = edit.kind === "add" ? edit.follows : null;
  const named = [text, follows, wordsAfter(edit)].some((words) => isGone(path, words));
  const moved = edit.kind === "move" && [text, edit.to.follows].some((words) => isGone(edit.to.path, words));
  if (!named && !moved && !hits(edit)) return [edit];
  const reason = "reason" in edit && eraser.hits(edit.reason) ? FORGOTTEN : undefined;
  const isUnder = hits(path);
  if (edit.kind === "move") {
    const to = hits(edit.to.follows) || isGone(edit.to.path, edit.to.follows) ? { ...edit.to, follows: null } : edit.to;
    const isNewGone = hits([text, to]) || isGone(to.path, text);
    const isOldGone = isUnder || hits(text) || isGone(path, text);
    const added = { path: to.path, text, lines: edit.was, headings: to.headings ?? [], follows: null, source: null };
    if (isOldGone) return isNewGone || to.file !== file ? [] : [{ kind: "add", file, place: 0, ...added }];
    if (isNewGone) return [{ kind: "remove", file, path, text, place, was: edit.was, reason: FORGOTTEN }];
    return [{ ...edit, to, reason: reason ?? edit.reason }];
  }
  const isOldGone = hits([text, edit.kind === "add" ? [] : edit.was]) || isGone(path, text);
  if (isUnder || (isOldGone && edit.kind !== "replace")) return [];
  if (edit.kind === "remove") return [{ ...edit, reason: reason ?? edit.reason }];
  const source = edit.source && hits(edit.source.quote) ? { ...edit.source, quote: null } : edit.source;
  if (edit.kind === "add")
    return [{ ...edit, source, follows: hits(follows) || isGone(path, follows) ? null : follows }];
  const isNewGone = hits([edit.words, edit.lines]) || isGone(path, edit.words);
  if (isOldGone && isNewGone) return [];
  if (isOldGone)
    return [
      { kind: "add", file, path, place, text: edit.words, lines: edit.lines, headings: [], follows: null, source },
    ];
  if (isNewGone) return [{ kind: "remove", file, path, text, place, was: edit.was, reason: FORGOTTEN }];
  return [{ ...edit, source, reason: reason ?? edit.reason }];
}
