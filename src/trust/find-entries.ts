import { withEdits } from "../change/fill-history.ts";
import { findOrigins } from "../change/follow-fact.ts";
import type { Origin } from "../change/follow-fact.ts";
import { isSamePath } from "../change/read-outline.ts";
import type { Fact, Outline } from "../change/read-outline.ts";
import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../state/edit.ts";
import type { Edit } from "../state/edit.ts";
import type { Revision, State } from "../state/state.ts";

/** How one of several equal facts came to stand. */
export interface FactEntry {
  /** The change that brought it. */
  revision: Revision;
  /** The headings that it came under. */
  path: readonly string[];
  /** The words that it took the place of there. */
  replaced: string | undefined;
  /** When the same words came and went under the headings that it ever stood under. */
  turns: { kind: "entered" | "left"; revision: Revision }[];
}

type Told = Revision & { edits: readonly Edit[] };

/** The change that brought each of these facts, read off the texts: words and headings alone do not tell equals apart. */
export async function findEntries(
  state: State,
  scope: string,
  outline: Outline,
  facts: readonly Fact[],
): Promise<Map<Fact, FactEntry>> {
  const entries = new Map<Fact, FactEntry>();
  for (const [text, same] of Map.groupBy(facts, (fact) => fact.text)) {
    const ids = (await state.revisionsNaming(scope, MEMORY_FILE, [text])).map(({ id }) => id);
    const revisions = await Promise.all((await state.revisionsAt(ids)).map((each) => withEdits(state, each)));
    const texts = await Promise.all(revisions.map(({ id }) => state.readRevision(id)));
    const steps = texts.map((each) => ({ before: each?.before ?? "", after: each?.text ?? "" }));
    for (const [fact, origin] of findOrigins(outline, same, steps)) {
      const revision = revisions[origin.step];
      if (revision) entries.set(fact, toEntry(revision, origin, revisions));
    }
  }
  return entries;
}

function toEntry(revision: Told, { fact, paths }: Origin, revisions: readonly Told[]): FactEntry {
  const { text } = fact;
  const isHere = (edit: Edit) => paths.some((path) => isSamePath(path, edit.path));
  const brought = revision.edits.find((edit) => wordsAfter(edit) === text && isSamePath(edit.path, fact.path));
  const turns = revisions.flatMap((each) => {
    const edits = each.edits.filter(isHere);
    const isLeft = edits.some((edit) => edit.text === text && (edit.kind === "remove" || edit.kind === "replace"));
    return [
      ...(isLeft ? [{ kind: "left" as const, revision: each }] : []),
      ...(edits.some((edit) => wordsAfter(edit) === text) ? [{ kind: "entered" as const, revision: each }] : []),
    ];
  });
  return { revision, path: fact.path, replaced: brought?.kind === "replace" ? brought.text : undefined, turns };
}
