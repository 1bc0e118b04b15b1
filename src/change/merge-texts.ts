import { align } from "../lines.ts";
import { joinLines, splitLines } from "./split-lines.ts";
import type { Lines } from "./split-lines.ts";

/** Two changes of one text, as one. */
export interface Merged {
  text: string;
  /** Where both sides put something else in the place of the same lines; both versions are in the text, theirs first. */
  clashes: { was: string[]; ours: string[]; theirs: string[] }[];
}

/**
 * Carries the change from `base` to `ours` over to `theirs`. A line goes if either side took it out, and stays, byte for
 * byte, if neither did; what either side put in is there.
 */
export function mergeTexts(base: string, ours: string, theirs: string): Merged {
  if (theirs === base || ours === theirs) return { text: ours, clashes: [] };
  if (ours === base) return { text: theirs, clashes: [] };
  const from = splitLines(base);
  const left = readSide(from, splitLines(ours));
  const right = readSide(from, splitLines(theirs));
  const result: Lines = { lines: [], ends: [] };
  const clashes: Merged["clashes"] = [];
  let gap: PutLine[] = [];
  for (let slot = 0; slot <= from.lines.length; slot++) {
    const mine = left.put(slot);
    const yours = right.put(slot);
    for (const each of linesOf(yours, true)) gap.push(each);
    for (const each of linesOf(mine, false)) gap.push(each);
    const was = bothTookOut(from, left, right, slot);
    const isSame = mine.lines.join("\n") === yours.lines.join("\n");
    if (was.length > 0 && !isSame && mine.lines.length > 0 && yours.lines.length > 0)
      clashes.push({ was, ours: mine.lines, theirs: yours.lines });
    const line = from.lines[slot];
    if (line !== undefined && (!left.keeps(slot) || !right.keeps(slot))) continue;
    push(result, onceEach(gap));
    gap = [];
    if (line === undefined) break;
    const end = left.end(slot) === from.ends[slot] ? right.end(slot) : left.end(slot);
    push(result, { lines: [line], ends: [end] });
  }
  return { text: joinLines(withLineEnds(result)), clashes };
}

/** What one side did to the base: which lines it kept, and what it put before which line. */
interface Side {
  keeps(line: number): boolean;
  end(line: number): string;
  put(slot: number): Lines;
}

function readSide(base: Lines, side: Lines): Side {
  const places = align(base.lines, side.lines);
  const put = new Map<number, Lines>();
  let slot = 0;
  let at = 0;
  for (let line = 0; line <= base.lines.length; line++) {
    const place = line === base.lines.length ? side.lines.length : (places[line] ?? -1);
    if (place < 0) continue;
    // What stands where lines were taken out took their place: it comes before the first of them.
    if (place > at) put.set(slot, { lines: side.lines.slice(at, place), ends: side.ends.slice(at, place) });
    at = place + 1;
    slot = line + 1;
  }
  return {
    keeps: (line) => (places[line] ?? -1) >= 0,
    end: (line) => side.ends[places[line] ?? -1] ?? "",
    put: (line) => put.get(line) ?? { lines: [], ends: [] },
  };
}

/** A line that one side put in. */
interface PutLine {
  line: string;
  end: string;
  isTheirs: boolean;
}

function linesOf({ lines, ends }: Lines, isTheirs: boolean): PutLine[] {
  return lines.map((line, index) => ({ line, end: ends[index] ?? "", isTheirs }));
}

/**
 * What was put between two lines that stay; what both put there, be it around another line that is gone, once, where it
 * comes first: who adds nothing new moves nothing either.
 */
function onceEach(put: readonly PutLine[]): Lines {
  const theirs = put.filter(({ isTheirs }) => isTheirs);
  const ours = put.filter(({ isTheirs }) => !isTheirs);
  const places = align(
    ours.map(({ line }) => line),
    theirs.map(({ line }) => line),
  );
  const order = new Map(put.map((each, index) => [each, index] as const));
  const twice = new Set<PutLine>();
  for (const [index, mine] of ours.entries()) {
    const yours = theirs[places[index] ?? -1];
    if (yours === undefined || mine.line.trim() === "") continue;
    twice.add((order.get(mine) ?? 0) < (order.get(yours) ?? 0) ? yours : mine);
  }
  // Whoever put the very same has no empty line of their own either.
  const isSame = ours.length === theirs.length && places.every((place) => place >= 0);
  const rest = put.filter((each) => (isSame ? each.isTheirs : !twice.has(each)));
  return { lines: rest.map(({ line }) => line), ends: rest.map(({ end }) => end) };
}

/** The lines from here on that neither side kept. */
function bothTookOut(base: Lines, left: Side, right: Side, slot: number): string[] {
  const lines: string[] = [];
  for (let line = slot; line < base.lines.length && !left.keeps(line) && !right.keeps(line); line++)
    lines.push(base.lines[line] ?? "");
  return lines.filter((line) => line.trim() !== "");
}

// One by one, here and wherever a list grows with a text: a call takes only so many arguments.
function push(result: Lines, part: Lines): void {
  for (const line of part.lines) result.lines.push(line);
  for (const end of part.ends) result.ends.push(end);
}

/** Only a last line may lack its end. */
function withLineEnds({ lines, ends }: Lines): Lines {
  const newline = ends.find((end) => end !== "") ?? "\n";
  return { lines, ends: ends.map((end, index) => (end === "" && index < lines.length - 1 ? newline : end)) };
}
