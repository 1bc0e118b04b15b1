import { MEMORY_FILE } from "../../layout.ts";
import type { Memory } from "../../memory.ts";
import type { StateLine } from "./change-shapes.ts";

/** Every state that a MEMORY.md was in, oldest first. */
export async function readStateLines(memory: Memory, scope: string, key: string | undefined): Promise<StateLine[]> {
  // What a person's editor did since belongs to the story.
  await memory.trust.look(key);
  const heads = await memory.history.list({ scope, file: MEMORY_FILE });
  const facts = await memory.history.factChangesIn(heads.map(({ id }) => id));
  let standing = 0;
  return heads.map(({ id, at, author, cause }) => {
    const { added, removed } = facts.get(id) ?? { added: [], removed: [] };
    standing += added.length - removed.length;
    return { id, at, author, cause, facts: standing, added: added.length, removed: removed.length };
  });
}
