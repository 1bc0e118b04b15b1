import { wordsOf } from "../../change/edit-records.ts";
import { withEdits } from "../../change/fill-history.ts";
import { MEMORY_FILE } from "../../layout.ts";
import type { Memory } from "../../memory.ts";
import type { RevisionLine } from "./change-shapes.ts";

interface Counts {
  /** Only forgetting rewrites what a revision did, and then its size is another one. */
  editBytes: number;
  added: number;
  removed: number;
}

const known = new WeakMap<Memory, Map<number, Counts>>();

/** Every state that a MEMORY.md was in, oldest first; what each did is read once. */
export async function readRevisionLines(
  memory: Memory,
  scope: string,
  key: string | undefined,
): Promise<RevisionLine[]> {
  // What a person's editor did since belongs to the story.
  await memory.trust.look(key);
  const heads = await memory.state.listHeads(scope, MEMORY_FILE);
  const counts = known.get(memory) ?? new Map<number, Counts>();
  known.set(memory, counts);
  const unknown = new Map(
    heads.flatMap(({ id, editBytes }) => (counts.get(id)?.editBytes === editBytes ? [] : [[id, editBytes] as const])),
  );
  for (const revision of await memory.state.revisionsAt([...unknown.keys()])) {
    const { added, removed } = wordsOf((await withEdits(memory.state, revision)).edits);
    counts.set(revision.id, {
      editBytes: unknown.get(revision.id) ?? 0,
      added: added.length,
      removed: removed.length,
    });
  }
  let facts = 0;
  return heads.map(({ id, at, author, cause, run }) => {
    const { added, removed } = counts.get(id) ?? { added: 0, removed: 0 };
    facts += added - removed;
    return { id, at, author, cause, run, facts, added, removed };
  });
}
