// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnswerEvent } from "../../src/server/wire/conversation.ts";
import { createGrowingAnswer } from "../../src/server/wire/growing-answer.ts";
import { WIRES } from "../../src/server/wire/wires.ts";
import { runs } from "../support/runs.ts";

const settings = runs(150);
const context = { id: "a_1", model: "tide", created: 1, conversation: { turns: [], tools: [], isStreamed: true } };

/** Pieces of some calls and words, mixed in any way that keeps the order within each. */
const mixed = fc
  .tuple(
    fc.array(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), { minLength: 1, maxLength: 4 }),
    fc.array(fc.nat(100), { minLength: 60, maxLength: 60 }),
    fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 2 }),
  )
  .map(([inputs, choices, said]) => {
    const lines = inputs.map((input, index): AnswerEvent[] => [
      { type: "call", index, id: `call_${index}`, name: `tool_${index}` },
      ...(JSON.stringify(input).match(/[\s\S]{1,6}/g) ?? []).map((text) => ({
        type: "arguments" as const,
        index,
        text,
      })),
    ]);
    const rest = [...lines, said.map((text): AnswerEvent => ({ type: "text", text }))];
    const events: AnswerEvent[] = [];
    for (let turn = 0; rest.some((line) => line.length > 0); turn++) {
      const filled = rest.filter((line) => line.length > 0);
      const next = filled[(choices[turn % choices.length] ?? 0) % filled.length]?.shift();
      if (next) events.push(next);
    }
    return { inputs, said: said.join(""), events };
  });

describe.each(["responses", "messages"] as const)("calls that a provider sends in mixed pieces, over %s", (wire) => {
  it("come whole, one after the other", () => {
    fc.assert(
      fc.property(mixed, ({ inputs, said, events }) => {
        const writer = WIRES[wire].createWriter(context);
        const all: AnswerEvent[] = [{ type: "start" }, ...events, { type: "finish", finish: "tool_calls" }];
        const sent = (all.map((event) => writer.write(event)).join("") + writer.end())
          .split("\n\n")
          .map((block) => /^data: (.*)$/m.exec(block)?.[1] ?? "")
          .filter((data) => data !== "");
        let open = 0;
        for (const { type } of sent.map((data): { type: string } => JSON.parse(data))) {
          if (/output_item\.added|content_block_start/.test(type)) open += 1;
          if (/output_item\.done|content_block_stop/.test(type)) open -= 1;
          expect(open).toBeLessThanOrEqual(1);
        }
        expect(open).toBe(0);
        const read = WIRES[wire].createReader();
        const growing = createGrowingAnswer();
        for (const data of sent) for (const event of read({ name: undefined, data })) growing.add(event);
        const { parts } = growing.read();
        const calls = parts.flatMap((part) => (part.type === "call" ? [[part.name, JSON.parse(part.arguments)]] : []));
        expect(Object.fromEntries(calls)).toEqual(
          Object.fromEntries(inputs.map((input, index) => [`tool_${index}`, input])),
        );
        expect(parts.map((part) => (part.type === "text" ? part.text : "")).join("")).toBe(said);
      }),
      settings,
    );
  });
});
