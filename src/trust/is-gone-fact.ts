import { isSamePath } from "../change/read-outline.ts";
import type { FactName } from "../change/read-outline.ts";

/** Where facts go that do not say themselves what is forgotten. */
export interface GonePlace {
  /** The headings and items above; undefined where nobody knows them, and all in these words go. */
  path: readonly string[] | undefined;
  /** How many of the equals there are others', and stay. */
  stay: number;
}

/** Facts that go although their own words do not say so, by their words. */
export type GoneFacts = ReadonlyMap<string, readonly GonePlace[]>;

/** What a text is: MEMORY.md, a part of it, a diary of entries, or a note. */
export type TextKind = "memory" | "part" | "diary" | "note";

/** Whether a fact of a text goes. */
export function isGoneFact(gone: GoneFacts, { text, path, place }: FactName, kind: TextKind): boolean {
  return (gone.get(text) ?? []).some(({ path: known, stay }) => {
    if (known === undefined) return true;
    if (kind === "note") return stay === 0 && isMovedFrom(known, path.at(-1) ?? "");
    // The headings above a part of a text are not known.
    if (kind === "part" && stay === 0) return isSamePath(known.slice(known.length - path.length), path);
    return place >= stay && isSamePath(known, path);
  });
}

/** Facts that MEMORY.md had no room for stand in a note, under one heading that names all of theirs. */
function isMovedFrom(path: readonly string[], heading: string): boolean {
  return path.length === 0 ? heading.startsWith("Moved from MEMORY.md ") : heading === path.join(" › ");
}
