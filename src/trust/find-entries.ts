import { findOrigins } from "../change/follow-fact.ts";
import type { Origin } from "../change/follow-fact.ts";
import { isSamePath } from "../change/read-outline.ts";
import type { Fact, Outline } from "../change/read-outline.ts";
import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../history/edit.ts";
import type { Edit } from "../history/edit.ts";
import type { Change } from "../history/change.ts";
import type { History } from "../history/history.ts";

/** How one of several equal facts came to stand. */
export interface FactEntry {
  /** The change that brought it. */
  change: Change;
  /** The headings that it came under. */
  path: readonly string[];
  /** The words that it took the place of there. */
  replaced: string | undefined;
  /** When the same words came and went under the headings that it ever stood under. */
  turns: { kind: "entered" | "left"; change: Change }[];
}

/** The change that brought each of these facts, read off the texts: words and headings alone do not tell equals apart. */
export async function findEntries(
  history: History,
  scope: string,
  outline: Outline,
  facts: readonly Fact[],
): Promise<Map<Fact, FactEntry>> {
  const entries = new Map<Fact, FactEntry>();
  for (const [text, same] of Map.groupBy(facts, (fact) => fact.text)) {
    const ids = (await history.naming(scope, MEMORY_FILE, [text])).map(({ id }) => id);
    const changes = await history.at(ids);
    const texts = await Promise.all(changes.map(({ id }) => history.textsOf(id)));
    const steps = texts.map((each) => ({ before: each?.before ?? "", after: each?.text ?? "" }));
    for (const [fact, origin] of findOrigins(outline, same, steps)) {
      const change = changes[origin.step];
      if (change) entries.set(fact, toEntry(change, origin, changes));
    }
  }
  return entries;
}

function toEntry(change: Change, { fact, paths }: Origin, changes: readonly Change[]): FactEntry {
  const { text } = fact;
  const isHere = (edit: Edit) => paths.some((path) => isSamePath(path, edit.path));
  const brought = change.edits.find((edit) => wordsAfter(edit) === text && isSamePath(edit.path, fact.path));
  const turns = changes.flatMap((each) => {
    const edits = each.edits.filter(isHere);
    const isLeft = edits.some((edit) => edit.text === text && (edit.kind === "remove" || edit.kind === "replace"));
    return [
      ...(isLeft ? [{ kind: "left" as const, change: each }] : []),
      ...(edits.some((edit) => wordsAfter(edit) === text) ? [{ kind: "entered" as const, change: each }] : []),
    ];
  });
  return { change, path: fact.path, replaced: brought?.kind === "replace" ? brought.text : undefined, turns };
}
