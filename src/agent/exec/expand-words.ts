import { MemoryError } from "../../errors.ts";
import { globPattern } from "./to-pattern.ts";
import type { View } from "./view.ts";

/** One word of a command; a word with unquoted `*`, `?` or `[` may stand for several file names. */
export interface Word {
  text: string;
  isPattern: boolean;
}

const MOST_EXPANDED = 1000;

/** The words of a command with file patterns replaced by the names that the session may see, in order. */
export function expandWords(view: View, words: readonly Word[]): string[] {
  return words.flatMap((word) => {
    if (!word.isPattern || word.text.startsWith("-")) return [word.text];
    try {
      return expandPattern(view, word.text);
    } catch (error) {
      // A pattern of grep may look like a path that leads out; if it is one, the command itself is refused it.
      if (error instanceof MemoryError) return [word.text];
      throw error;
    }
  });
}

/** A pattern without a match stands for itself, as in a shell. */
function expandPattern(view: View, pattern: string): string[] {
  let found = [pattern.startsWith("/") ? "/" : ""];
  for (const segment of pattern.split("/").filter((part) => part !== "")) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((base) => joinName(base, segment));
      continue;
    }
    const glob = globPattern(segment);
    found = found
      .flatMap((base) => {
        const folder = view.locate(base === "" ? "." : base);
        if (!view.stat(folder)?.isDirectory()) return [];
        const names = view.list(folder).map(({ absolute }) => absolute.split(/[/\\]/).at(-1) ?? "");
        // As in a shell, a dot at the beginning must be asked for.
        return names
          .filter((name) => glob.test(name) && (segment.startsWith(".") || !name.startsWith(".")))
          .map((name) => joinName(base, name));
      })
      .slice(0, MOST_EXPANDED);
  }
  const there = found.filter((name) => view.stat(view.locate(name)) !== undefined);
  return there.length === 0 ? [pattern] : there;
}

function joinName(base: string, name: string): string {
  return base === "" || base === "/" ? `${base}${name}` : `${base}/${name}`;
}
