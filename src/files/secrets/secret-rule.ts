import type { QuickLook } from "./quick-look.ts";

/** Something in a text that may be a secret. */
export interface Candidate {
  kind: string;
  start: number;
  end: number;
}

/** Finds secrets of one family in a text, in time that grows with its length alone. */
export type SecretRule = (look: QuickLook) => Candidate[];

/** How one kind looks. The first group, where there is one, is the secret; else the whole match is. */
export interface Shape {
  kind: string;
  pattern: RegExp;
  /** What the text must hold for the pattern to be worth trying, in small letters. */
  needs?: readonly string[];
  /** How far from such a part a match may reach, in characters: only there the pattern is tried. */
  within?: number;
  /** The longest run of characters that the text must at least have. */
  run?: Partial<QuickLook["longest"]>;
  isSecret?: (value: string, match: string) => boolean;
}

/** A rule out of shapes, each tried where the text holds what it needs. */
export function createShapeRule(shapes: readonly Shape[]): SecretRule {
  return (look) => shapes.filter((shape) => isWorthTrying(shape, look)).flatMap((shape) => findShape(shape, look));
}

function isWorthTrying({ needs, run }: Shape, { holds, longest }: QuickLook): boolean {
  if (run && (longest.word < (run.word ?? 0) || longest.base64 < (run.base64 ?? 0) || longest.hex < (run.hex ?? 0))) {
    return false;
  }
  return needs === undefined || needs.some(holds);
}

function findShape(shape: Shape, look: QuickLook): Candidate[] {
  const { needs, within } = shape;
  const { text, small } = look;
  // Where small letters are more or fewer than the capitals were, places in the one are none in the other.
  if (needs === undefined || within === undefined || small.length !== text.length) return matchShape(shape, text, 0);
  const found: Candidate[] = [];
  for (const { from, to } of windowsAround(look, needs, within)) {
    for (const candidate of matchShape(shape, text.slice(from, to), from)) {
      // What touches the edge of a window would read differently with what lies beyond it.
      const isInside =
        (from === 0 || candidate.start > from + EDGE) && (to === text.length || candidate.end < to - EDGE);
      if (isInside) found.push(candidate);
    }
  }
  return found;
}

const EDGE = 4;

/** The stretches of a text around every place that holds one of the parts; those that meet are one. */
function windowsAround(
  { small, holds }: QuickLook,
  parts: readonly string[],
  within: number,
): { from: number; to: number }[] {
  const places = parts.filter(holds).flatMap((part) => {
    const found: number[] = [];
    for (let at = small.indexOf(part); at >= 0; at = small.indexOf(part, at + within)) found.push(at);
    return found;
  });
  const windows: { from: number; to: number }[] = [];
  for (const place of places.toSorted((one, other) => one - other)) {
    // The next place that was looked for lies beyond this one's reach, so that the window has twice that.
    const to = Math.min(small.length, place + 3 * within);
    const last = windows.at(-1);
    if (last && place - 2 * within <= last.to) last.to = Math.max(last.to, to);
    else windows.push({ from: Math.max(0, place - 2 * within), to });
  }
  return windows;
}

function matchShape({ kind, pattern, isSecret }: Shape, text: string, from: number): Candidate[] {
  const found: Candidate[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = match[1] ?? match[0];
    if (isSecret && !isSecret(value, match[0])) continue;
    const start = from + match.index + match[0].lastIndexOf(value);
    found.push({ kind, start, end: start + value.length });
  }
  return found;
}
