const OPEN = "<think>";
const CLOSE = "</think>";

/** Parts what a model says from what it thinks aloud between <think> tags, as it streams. */
export interface ThoughtFilter {
  /** Takes the next piece; gives what may be shown of it. */
  push(piece: string): string;
  /** What was held back because it might have been a tag. */
  end(): string;
}

/** Makes a filter for one answer. */
export function createThoughtFilter(): ThoughtFilter {
  let held = "";
  let isThinking = false;
  return {
    push(piece) {
      held += piece;
      let shown = "";
      for (;;) {
        const tag = isThinking ? CLOSE : OPEN;
        const at = held.indexOf(tag);
        if (at < 0) break;
        if (!isThinking) shown += held.slice(0, at);
        held = held.slice(at + tag.length);
        isThinking = !isThinking;
      }
      // The beginning of a tag may stand at the end of a piece.
      const kept = partialTag(held, isThinking ? CLOSE : OPEN);
      if (!isThinking) shown += held.slice(0, held.length - kept);
      held = held.slice(held.length - kept);
      return shown;
    },
    end() {
      const rest = isThinking ? "" : held;
      held = "";
      return rest;
    },
  };
}

/** Splits a whole answer. */
export function splitThoughts(text: string): { said: string; thought: string } {
  const filter = createThoughtFilter();
  const said = `${filter.push(text)}${filter.end()}`;
  if (!text.includes(OPEN)) return { said, thought: "" };
  const thought = [...text.matchAll(/<think>([\s\S]*?)(?:<\/think>|$)/g)].map(([, inner]) => inner?.trim()).join("\n");
  return { said: said.trimStart(), thought };
}

function partialTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
