import { changeMemory } from "../consolidation/change-memory.ts";
import { sourceOf } from "../consolidation/undo.ts";
import type { World } from "../consolidation/world.ts";
import { MemoryError } from "../errors.ts";
import { diffFacts, findTarget } from "./change.ts";

/** What a restore changed. */
export interface Restored {
  kind: "restored" | "nothing";
  revision: number;
  added: string[];
  removed: string[];
}

/** Brings MEMORY.md back, byte for byte, to what it was at a revision; that is a change of its own and can be undone. */
export async function restore(world: World, id: string, by: string): Promise<Restored> {
  const { change } = await findTarget(world.state, id);
  if (change === undefined) throw new MemoryError("NOT_FOUND", `${id} left MEMORY.md as it was; name a revision`);
  const { revision } = change;
  return changeMemory<Restored>(world, { scope: revision.scope }, async (current) => {
    const { added, removed } = diffFacts(current, revision.text);
    if (current === revision.text)
      return { result: { kind: "nothing", revision: revision.id, added: [], removed: [] } };
    const reason = `restored revision ${revision.id}`;
    return {
      change: {
        text: revision.text,
        facts: await Promise.all(added.map((fact) => sourceOf(world, revision.scope, fact))),
        retired: removed.map((text) => ({ text, reason, replacedBy: null })),
        cause: reason,
        author: "agent",
        by,
      },
      result: { kind: "restored", revision: revision.id, added, removed },
    };
  });
}
