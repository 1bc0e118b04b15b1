import type { MemoryMap } from "../../../server/inspector/memory-map.ts";

/** Where a name is drawn. */
export interface Point {
  x: number;
  y: number;
}

const ROUNDS = 260;
const MARGIN = 70;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Lays names out so that those with facts in common lie close. The same map always looks the same. */
export function layOut({ names, ties }: Pick<MemoryMap, "names" | "ties">, width: number, height: number): Point[] {
  // A sunflower to begin with: even, without chance.
  const points = names.map((_, index) => {
    const reach = Math.sqrt((index + 0.5) / names.length);
    const angle = index * GOLDEN_ANGLE;
    return {
      x: width / 2 + reach * Math.cos(angle) * width * 0.42,
      y: height / 2 + reach * Math.sin(angle) * height * 0.42,
    };
  });
  const spring = Math.sqrt((width * height) / Math.max(1, names.length)) * 0.75;
  for (let round = 0; round < ROUNDS; round++) {
    const step = 14 * (1 - round / ROUNDS) + 0.5;
    const forces = points.map(() => ({ x: 0, y: 0 }));
    pushApart(points, forces, spring);
    for (const { one, other, facts } of ties) pull(points, forces, one, other, spring, Math.min(3, facts.length));
    points.forEach((point, index) => {
      const force = forces[index] ?? { x: 0, y: 0 };
      // A little towards the middle, or what has no ties would drift away.
      const x = force.x + (width / 2 - point.x) * 0.02;
      const y = force.y + (height / 2 - point.y) * 0.035;
      const size = Math.hypot(x, y) || 1;
      point.x = clamp(point.x + (x / size) * Math.min(step, size), MARGIN, width - MARGIN);
      point.y = clamp(point.y + (y / size) * Math.min(step, size), MARGIN / 2, height - MARGIN);
    });
  }
  return points;
}

function pushApart(points: readonly Point[], forces: Point[], spring: number): void {
  for (let one = 0; one < points.length; one++) {
    for (let other = one + 1; other < points.length; other++) {
      const from = points[one];
      const to = points[other];
      if (from === undefined || to === undefined) continue;
      const x = to.x - from.x || 0.1;
      // Names are wide and low: they need more room beside than above each other.
      const y = (to.y - from.y) * 1.5 || 0.1;
      const push = (spring * spring) / (x * x + y * y) / Math.hypot(x, y);
      add(forces, one, -x * push * spring * 0.09, -y * push * spring * 0.09);
      add(forces, other, x * push * spring * 0.09, y * push * spring * 0.09);
    }
  }
}

function pull(
  points: readonly Point[],
  forces: Point[],
  one: number,
  other: number,
  spring: number,
  weight: number,
): void {
  const from = points[one];
  const to = points[other];
  if (from === undefined || to === undefined) return;
  const x = to.x - from.x;
  const y = to.y - from.y;
  const strength = (Math.hypot(x, y) / spring - 0.6) * 0.05 * weight;
  add(forces, one, x * strength, y * strength);
  add(forces, other, -x * strength, -y * strength);
}

function add(forces: Point[], index: number, x: number, y: number): void {
  const force = forces[index];
  if (force === undefined) return;
  force.x += x;
  force.y += y;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
