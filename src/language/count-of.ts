/** `3 messages`, `1 message`, `1,200 messages`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A count as people read it: `1,200`. */
export function formatCount(count: number): string {
  // What does the same in every language takes longer to load than most commands take.
  return Number.isSafeInteger(count) ? String(count).replaceAll(THOUSANDS, ",") : count.toLocaleString("en-US");
}

const THOUSANDS = /\B(?=(?:\d{3}){1,5}$)/g;
