import { textsIn } from "../language/texts-in.ts";
import type { Edit } from "./edit.ts";
import type { Eraser } from "./erasing.ts";

/** What stands in the place of what was forgotten. */
export const FORGOTTEN = "[forgotten]";

/** What is left of an edit: nothing, all of it, or the half that does not carry what is forgotten. */
export function eraseEdit(edit: Edit, eraser: Eraser, scope: string): Edit[] {
  const isGone = (text: string) => eraser.hits(text) || eraser.erase(`- ${text}\n`, scope).trim() === "";
  const hits = (value: unknown) => textsIn(value).some((text) => text.trim() !== "" && isGone(text));
  const isTheirs = "source" in edit && edit.source?.session && eraser.isSession(edit.source.session);
  if (isTheirs) return eraseEdit({ ...edit, source: null }, eraser, scope);
  if (!hits(edit)) return [edit];
  const { file, path, text, place } = edit;
  if (hits([path, edit.kind === "replace" ? [] : text])) return [];
  const reason = "reason" in edit && eraser.hits(edit.reason) ? FORGOTTEN : undefined;
  if (edit.kind === "move") {
    const to = hits(edit.to.follows) ? { ...edit.to, follows: null } : edit.to;
    return hits(to) ? [] : [{ ...edit, to, reason: reason ?? edit.reason }];
  }
  if (edit.kind === "remove") return [{ ...edit, reason: reason ?? edit.reason }];
  const source = edit.source && hits(edit.source.quote) ? { ...edit.source, quote: null } : edit.source;
  const follows = edit.kind === "add" && edit.follows !== null && hits(edit.follows) ? null : undefined;
  if (edit.kind === "add") return [{ ...edit, source, follows: follows === null ? null : edit.follows }];
  const isOldGone = hits([text, edit.was]);
  const isNewGone = hits([edit.words, edit.lines]);
  if (isOldGone && isNewGone) return [];
  if (isOldGone)
    return [
      { kind: "add", file, path, place, text: edit.words, lines: edit.lines, headings: [], follows: null, source },
    ];
  if (isNewGone) return [{ kind: "remove", file, path, text, place, was: edit.was, reason: FORGOTTEN }];
  return [{ ...edit, source, reason: reason ?? edit.reason }];
}
