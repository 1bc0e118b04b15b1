import { diffLines, diffWordsWithSpace } from "diff";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { showPlain } from "../../visible-text.ts";

interface Row {
  kind: "same" | "plus" | "minus" | "gap";
  content: ComponentChildren;
  count?: number;
}

const CONTEXT = 1;
// Beyond this, finding the smallest difference takes longer than reading a larger one.
const MOST_EDITS = 4000;

/** Two texts side by side in one: what went and what came, word by word where a line was changed. */
export function DiffBlock({ before, after }: { before: string; after: string }) {
  const rows = useMemo(() => toRows(showPlain(before), showPlain(after)), [before, after]);
  if (rows.length === 0) return <p class="note">No differences.</p>;
  return (
    <div class="diff" role="group" aria-label="What changed">
      {rows.map(({ kind, content, count }, index) =>
        kind === "gap" ? (
          <div class="gap" key={index}>
            <span class="sign" aria-hidden="true">
              ·
            </span>
            {`${count} unchanged lines`}
          </div>
        ) : (
          <div class={kind} key={index}>
            <span class="sign" aria-hidden="true">
              {SIGNS[kind]}
            </span>
            <span dir="auto">
              {kind !== "same" && <span class="hidden">{kind === "plus" ? "came: " : "went: "}</span>}
              {content}
            </span>
          </div>
        ),
      )}
    </div>
  );
}

const SIGNS = { same: " ", plus: "+", minus: "−" } as const;

function toRows(before: string, after: string): Row[] {
  const parts = diffLines(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { added: false, removed: true, value: before },
    { added: true, removed: false, value: after },
  ];
  const rows: Row[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    const next = parts[index + 1];
    if (part === undefined) continue;
    const lines = linesOf(part.value);
    if (part.removed && next?.added) {
      for (const row of pairRows(lines, linesOf(next.value))) rows.push(row);
      index++;
    } else if (part.added || part.removed) {
      const kind = part.added ? "plus" : "minus";
      for (const content of lines) rows.push({ kind, content });
    } else {
      for (const row of around(lines, index === 0, index === parts.length - 1)) rows.push(row);
    }
  }
  const told = rows.filter(({ kind, content }) => kind !== "same" || content !== "");
  return told.some(({ kind }) => kind === "plus" || kind === "minus") ? told : [];
}

/** A line that was changed is shown with the words that differ. */
function pairRows(old: readonly string[], next: readonly string[]): Row[] {
  const rows: Row[] = [];
  const paired = old.length === next.length;
  old.forEach((line, index) => {
    const partner = paired ? next[index] : undefined;
    rows.push({ kind: "minus", content: partner === undefined ? line : words(line, partner, "removed") });
  });
  next.forEach((line, index) => {
    const partner = paired ? old[index] : undefined;
    rows.push({ kind: "plus", content: partner === undefined ? line : words(partner, line, "added") });
  });
  return rows;
}

function words(old: string, next: string, side: "added" | "removed"): ComponentChildren {
  const parts = diffWordsWithSpace(old, next);
  const kept = parts
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.length, 0);
  // Lines that share little are two lines, not one that was changed.
  if (kept < Math.max(old.length, next.length) / 3) return side === "added" ? next : old;
  return parts
    .filter((part) => (side === "added" ? !part.removed : !part.added))
    .map((part, index) => (part.added || part.removed ? <strong key={index}>{part.value}</strong> : part.value));
}

function around(lines: readonly string[], isFirst: boolean, isLast: boolean): Row[] {
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  if (lines.length <= head + tail + 1) return lines.map(same);
  const gap: Row = { kind: "gap", content: "", count: lines.length - head - tail };
  return [...lines.slice(0, head).map(same), gap, ...lines.slice(lines.length - tail).map(same)];
}

function same(content: string): Row {
  return { kind: "same", content };
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}
