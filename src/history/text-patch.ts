import { longestRising } from "../lines.ts";
import type { Patch } from "./change.ts";

/** Reading a text goes back over at most so many differences. */
export const WHOLE_EVERY = 32;

type Piece = Patch[number];

// Below this one piece is as short as several.
const FEW_CHARACTERS = 400;

/** The difference between two texts: the lines that went and came, wherever they stand. */
export function makePatch(before: string, after: string): Patch {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < most - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  const old = before.slice(start, before.length - tail);
  const next = after.slice(start, after.length - tail);
  const pieces = next.length < FEW_CHARACTERS ? [piece(0, old.length, next)] : comparePieces(old, next);
  return pieces.map(([from, to, text]) => [from + start, to + start, text]);
}

/** The parts of a text in which it differs from another one, each with so many lines around it. */
export function changedParts(before: string, after: string, linesAround: number): string[] {
  const parts: string[] = [];
  let moved = 0;
  for (const [start, end, text] of makePatch(before, after)) {
    const at = start + moved;
    let [from, to] = [at, at + text.length];
    for (let count = 0; count <= linesAround && from > 0; count++) from = after.lastIndexOf("\n", from - 2) + 1;
    for (let count = 0; count <= linesAround && to < after.length; count++) {
      const newline = after.indexOf("\n", to);
      to = newline < 0 ? after.length : newline + 1;
    }
    parts.push(after.slice(from, to));
    moved += text.length - (end - start);
  }
  return parts;
}

/** The text that a difference makes of another one. */
export function applyPatch(text: string, patch: Patch): string {
  let patched = "";
  let at = 0;
  for (const [start, end, middle] of patch) {
    patched += text.slice(at, start) + middle;
    at = end;
  }
  return patched + text.slice(at);
}

/** Lines that each text has once, in the same order, stay; what lies between them is told anew. */
function comparePieces(before: string, after: string): Piece[] {
  const [old, next] = [placeLines(before), placeLines(after)];
  const places = oncePlaced(next);
  const shared = [...oncePlaced(old)].flatMap(([line, from]) => {
    const to = places.get(line);
    return to === undefined ? [] : [{ line, from, to }];
  });
  const pieces: Piece[] = [];
  let [from, to] = [0, 0];
  const close = (oldEnd: number, newEnd: number): void => {
    if (from < oldEnd || to < newEnd) pieces.push(piece(from, oldEnd, after.slice(to, newEnd)));
  };
  for (const each of longestRising(
    shared.toSorted((one, other) => one.from - other.from),
    ({ to: at }) => at,
  )) {
    close(each.from, each.to);
    [from, to] = [each.from + each.line.length, each.to + each.line.length];
  }
  close(before.length, after.length);
  return pieces;
}

function piece(start: number, end: number, text: string): Piece {
  return [start, end, text];
}

function placeLines(text: string): { line: string; at: number }[] {
  const lines: { line: string; at: number }[] = [];
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push({ line: text.slice(at, end), at });
    at = end;
  }
  return lines;
}

/** The lines that stand in a text once, with where. */
function oncePlaced(lines: readonly { line: string; at: number }[]): Map<string, number> {
  const once = new Map<string, number>();
  const twice = new Set<string>();
  for (const { line, at } of lines) {
    if (once.has(line)) twice.add(line);
    once.set(line, at);
  }
  for (const line of twice) once.delete(line);
  return once;
}
