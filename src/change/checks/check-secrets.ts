import { maskNew } from "../../files/mask-secrets.ts";
import type { Edit } from "../../history/edit.ts";
import type { Draft } from "../draft.ts";
import { readOutline } from "../read-outline.ts";
import type { Given } from "./checks.ts";

/** Secrets are masked, not held: no one need decide whether a key belongs into memory. What a person wrote is theirs. */
export function checkSecrets(change: Draft, { memory, clean }: Given): Draft {
  if (change.isReturn) return change;
  const entries = change.entries.map(({ file, entry }) => ({ file, entry: clean(entry) }));
  const text = change.text === undefined ? undefined : maskNew(change.text, memory.text);
  const { stretch } = change;
  const repeatable = stretch?.repeatable === undefined ? undefined : clean(stretch.repeatable);
  return {
    ...change,
    entries,
    text,
    stretch: stretch && { ...stretch, repeatable },
    edits: change.edits.map((edit) => maskEdit(edit, clean)),
  };
}

function maskEdit(edit: Edit, clean: (text: string) => string): Edit {
  if (edit.kind === "move") return edit;
  if (edit.kind === "remove") return { ...edit, reason: clean(edit.reason) };
  const source =
    edit.source?.quote === undefined || edit.source.quote === null
      ? edit.source
      : { ...edit.source, quote: clean(edit.source.quote) };
  const lines = maskLines(edit.lines, clean);
  if (lines === edit.lines)
    return edit.kind === "add" ? { ...edit, source } : { ...edit, source, reason: clean(edit.reason) };
  const text = readOutline(lines.join("\n")).facts[0]?.text;
  if (edit.kind === "add") return { ...edit, source, lines, text: text ?? clean(edit.text) };
  return { ...edit, source, lines, words: text ?? clean(edit.words), reason: clean(edit.reason) };
}

/** The lines as one text: a key of several lines is not seen in any one of them. */
function maskLines(lines: string[], clean: (text: string) => string): string[] {
  const text = lines.join("\n");
  const masked = clean(text);
  return masked === text ? lines : masked.split("\n");
}
