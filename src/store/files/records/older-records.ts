import { z } from "zod";
import type { Edit } from "../../../state/edit.ts";
import { HeldChange, Source } from "../../../state/edit.ts";

const OlderApply = z.looseObject({
  diary: z.unknown().nullable(),
  notes: z.array(z.unknown()),
  held: z.unknown().optional(),
  run: z.looseObject({ scope: z.string() }),
});

/** An apply that version 0.1 left in the journal, in today's form. */
export function fromOlder(payload: unknown): unknown {
  const older = OlderApply.safeParse(payload).data;
  if (older === undefined) return payload;
  const { diary, notes, held, ...rest } = older;
  return {
    ...rest,
    entries: diary === null ? notes : [diary, ...notes],
    edits: [],
    held: held === null || held === undefined ? null : heldFromOlder(held, older.run.scope),
  };
}

const OlderHeld = z.looseObject({
  answer: z.looseObject({ history_entry: z.string() }),
  session: z.string(),
  from: z.number(),
  to: z.number(),
  reason: z.string(),
  items: z.array(
    z.union([
      z.object({ kind: z.literal("add"), fact: z.string() }),
      z.object({ kind: z.literal("reword"), before: z.string(), fact: z.string() }),
      z.object({ kind: z.literal("retire"), fact: z.string(), reason: z.string() }),
    ]),
  ),
  facts: z.array(z.object({ text: z.string(), ...Source.shape })),
});

const name = (text: string) => ({ file: "MEMORY.md", path: [], text, place: 0 });

/** A proposal that version 0.1 put by, in today's form: it knew facts by their words alone. */
export function heldFromOlder(payload: unknown, scope: string): unknown {
  const older = OlderHeld.safeParse(payload).data;
  if (older === undefined) return payload;
  const { session, from, to, reason, items, facts, answer } = older;
  const sourceOf = (text: string) => {
    const { text: _, ...source } = facts.find((fact) => fact.text === text) ?? { text };
    return Source.safeParse(source).data ?? null;
  };
  const toEdit = (item: (typeof items)[number]): Edit => {
    if (item.kind === "retire") return { kind: "remove", ...name(item.fact), was: [], reason: item.reason };
    const written = { lines: [`- ${item.fact}`], source: sourceOf(item.fact) };
    return item.kind === "add"
      ? { kind: "add", ...name(item.fact), ...written, headings: [], follows: null }
      : { kind: "replace", ...name(item.before), ...written, was: [], words: item.fact, reason: "reworded" };
  };
  const held: HeldChange = {
    scope,
    session,
    from,
    to,
    reason,
    entry: answer.history_entry,
    items: items.map((item) => ({ reason, edit: toEdit(item) })),
  };
  return held;
}
