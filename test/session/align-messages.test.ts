import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignMessages } from "../../src/session/align-messages.ts";
import { newMessages } from "../../src/session/new-messages.ts";
import type { Message, MessageInput } from "../../src/session/message.ts";
import { runs } from "../support/runs.ts";

const weightOf = (print: string) => (print < "c" ? 2 : 3);

/** The definition: of all ways the heaviest; from the end, a pair before a step, and a step past `wanted` before one past `tail`. */
function defined(tail: readonly string[], wanted: readonly string[]): (number | undefined)[] {
  const weights = Array.from({ length: wanted.length + 1 }, () => tail.concat("").map(() => 0));
  const at = (index: number, column: number) => weights[index]?.[column] ?? 0;
  const pair = (index: number, column: number) =>
    wanted[index - 1] === tail[column - 1] ? at(index - 1, column - 1) + weightOf(wanted[index - 1] ?? "") : -1;
  for (let index = 1; index <= wanted.length; index++)
    for (let column = 1; column <= tail.length; column++)
      weights[index]![column] = Math.max(at(index - 1, column), at(index, column - 1), pair(index, column));
  const partners: (number | undefined)[] = wanted.map(() => undefined);
  for (let index = wanted.length, column = tail.length; index > 0 && column > 0;) {
    if (pair(index, column) === at(index, column)) partners[--index] = --column;
    else if (at(index - 1, column) === at(index, column)) index--;
    else column--;
  }
  return partners;
}

describe("two lists of messages", () => {
  it("are paired as heavily as can be, with the later partners", () => {
    const list = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 14 });
    fc.assert(
      fc.property(list, list, (tail, wanted) => {
        expect(alignMessages(tail, wanted, (index) => weightOf(wanted[index] ?? ""))).toEqual(defined(tail, wanted));
      }),
      runs(1000),
    );
  });

  it("of thousands are paired where they are the same, in order", () => {
    const all = Array.from({ length: 12_000 }, (_, index) => (index % 10 === 0 ? "go on" : `${index}`));
    const lists: Readonly<Record<string, [string[], string[], least: number]>> = {
      "one without its first": [all.slice(1), all, 11_999],
      "each without some": [all.filter((_, at) => at % 97 !== 5), all.filter((_, at) => at % 89 !== 7), 11_600],
      "one backwards": [all, all.toReversed(), 1],
      "nothing that stands once": [all.map((_, at) => `${at % 3}`), all.map((_, at) => `${at % 2}`), 3000],
      "nothing the same": [all, all.map((each) => `${each}.`), 0],
    };
    for (const [name, [tail, wanted, least]] of Object.entries(lists)) {
      const partners = alignMessages(tail, wanted, () => 1);
      const pairs = partners.flatMap((partner, index) => (partner === undefined ? [] : [[partner, index] as const]));
      expect([name, pairs.every(([partner, index]) => tail[partner] === wanted[index])]).toEqual([name, true]);
      const places = pairs.map(([partner]) => partner);
      expect([name, places]).toEqual([name, [...new Set(places)].toSorted((one, other) => one - other)]);
      expect(pairs.length, name).toBeGreaterThanOrEqual(least);
    }
  });

  it("of which a client edited the last but one differ in that alone", () => {
    const stored = Array.from({ length: 4000 }, (_, index): Message & MessageInput => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `message ${index}`,
    }));
    const edited: MessageInput = { role: "user", content: "edited" };
    const sent = [...stored.slice(0, -2), edited, ...stored.slice(-1), { ...edited, content: "and now?" }];
    expect(newMessages(stored, sent).map(({ content }) => content)).toEqual(["and now?"]);
  });
});
