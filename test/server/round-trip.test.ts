// @module-tag long
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Conversation, Part, SaidPart, Turn } from "../../src/server/wire/conversation.ts";
import { createGrowingAnswer, piecesOf } from "../../src/server/wire/growing-answer.ts";
import type { SentEvent, Wire } from "../../src/server/wire/wire.ts";
import { WIRES } from "../../src/server/wire/wires.ts";
import { runs } from "../support/runs.ts";

const words = fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }).filter((text) => text.trim() !== "");
const name = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
const id = fc.uuid().map((uuid) => `call_${uuid.slice(0, 13)}`);
const json = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string())), {
  maxKeys: 3,
});
const base64 = fc.uint8Array({ minLength: 3, maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const text = words.map((said) => ({ type: "text" as const, text: said }));
const image = fc
  .oneof(
    base64.map((data) => `data:image/png;base64,${data}`),
    fc.webUrl(),
  )
  .map((url) => ({ type: "image" as const, url }));
const file = fc.tuple(fc.constantFrom("application/pdf", "text/plain"), words).map(([type, said]) => ({
  type: "file" as const,
  url: `data:${type};base64,${Buffer.from(said).toString("base64")}`,
  name: "a.pdf",
}));
const parts = fc.array(fc.oneof(text, image, file), { minLength: 1, maxLength: 4 });
const user = parts.map((said): Turn[] => [{ role: "user", parts: said }]);

/** What a model says: words, then calls, each with its result. */
const exchange = fc
  .tuple(
    fc.array(text, { maxLength: 2 }),
    fc.uniqueArray(fc.tuple(id, name, json), { maxLength: 3, selector: ([callId]) => callId }),
    fc.array(text, { minLength: 3, maxLength: 3 }),
  )
  .filter(([said, calls]) => said.length + calls.length > 0)
  .map(([said, calls, results]): Turn[] => {
    const asked = calls.map(([callId, tool, input]): SaidPart => {
      return { type: "call", id: callId, name: tool, arguments: JSON.stringify(input) };
    });
    const answered = calls.map(([callId], index): Turn => {
      const result: Part[] = results.slice(index, index + 1);
      return { role: "tool", callId, parts: result };
    });
    return [{ role: "assistant", parts: [...said, ...asked] }, ...answered];
  });

const tool = fc.record({
  name,
  description: fc.option(words, { nil: undefined }),
  parameters: fc.constantFrom(
    { type: "object", properties: {} },
    { type: "object", properties: { a: { type: "string" } } },
  ),
  isStrict: fc.constantFrom(true as const, undefined),
});

const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    model: fc.constant("tide"),
    system: fc.array(text, { maxLength: 3 }),
    first: user,
    rest: fc.array(fc.tuple(exchange, user), { maxLength: 4 }),
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (each) => each.name }),
    maxTokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: fc.option(fc.constantFrom(0, 0.25, 1), { nil: undefined }),
    topP: fc.option(fc.constantFrom(0.1, 0.9), { nil: undefined }),
    effort: fc.option(fc.constantFrom("low", "high"), { nil: undefined }),
    isStreamed: fc.boolean(),
    choice: fc.constantFrom("auto" as const, "none" as const, "required" as const),
    isForced: fc.boolean(),
    isAlone: fc.boolean(),
    hasFormat: fc.boolean(),
  })
  .map(({ system, first, rest, choice, isForced, isAlone, hasFormat, tools, ...settings }) => {
    const [one] = tools;
    const forced = isForced && one ? { name: one.name } : choice;
    const turns: Turn[] = [...first, ...rest.flat(2)];
    return {
      ...settings,
      tools,
      turns: system.length > 0 ? [{ role: "system", parts: system } as const, ...turns] : turns,
      ...(tools.length > 0 ? { toolChoice: forced } : {}),
      ...(tools.length > 0 && isAlone && forced !== "none" ? { isParallel: false } : {}),
      ...(hasFormat ? { format: { type: "json_schema" as const, name: "answer", schema: { type: "object" } } } : {}),
    };
  });

const NAMES = ["chat", "responses", "messages"] as const;
const settings = runs(150);
/** As it goes over a wire. */
const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const hop = (wire: Wire, said: Conversation): Conversation => wire.readRequest(overWire(wire.writeRequest(said)));

describe("a conversation", () => {
  it.each(NAMES)("comes back whole from %s", (wire) => {
    fc.assert(
      fc.property(conversation, (said) => {
        expect(hop(WIRES[wire], said)).toEqual(said);
      }),
      settings,
    );
  });

  it("loses nothing on its way over all three, in any order", () => {
    fc.assert(
      fc.property(conversation, fc.shuffledSubarray([...NAMES, ...NAMES]), (said, way) => {
        expect(way.reduce((moved, wire) => hop(WIRES[wire], moved), said)).toEqual(said);
      }),
      settings,
    );
  });
});

const usage = fc
  .tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000))
  .map(([fresh, cachedTokens, outputTokens]) => ({ inputTokens: fresh + cachedTokens, cachedTokens, outputTokens }));
const answer: fc.Arbitrary<Answer> = fc
  .record({
    thoughts: fc.option(words, { nil: undefined }),
    said: fc.option(text, { nil: undefined }),
    calls: fc.uniqueArray(fc.tuple(id, name, json), { maxLength: 3, selector: ([callId]) => callId }),
    isCut: fc.boolean(),
    usage,
  })
  .filter(({ said, calls }) => said !== undefined || calls.length > 0)
  .map(({ thoughts, said, calls, isCut, usage: counted }) => ({
    parts: [
      ...(thoughts === undefined ? [] : [{ type: "reasoning" as const, text: thoughts }]),
      ...(said === undefined ? [] : [said]),
      ...calls.map(([callId, called, input]) => ({
        type: "call" as const,
        id: callId,
        name: called,
        arguments: JSON.stringify(input),
      })),
    ],
    finish: isCut ? ("length" as const) : calls.length > 0 ? ("tool_calls" as const) : ("stop" as const),
    usage: counted,
  }));

const context = { id: "a_1", model: "tide", created: 1, conversation: { turns: [], tools: [], isStreamed: true } };
/** Who wrote it, and the seals that one wire writes and another does not. */
const bare = ({ parts: said, finish, usage: counted }: Answer) => ({
  parts: said.map((part) => (part.type === "reasoning" ? { type: part.type, text: part.text } : part)),
  finish,
  usage: counted,
});

function parseStream(sent: string): SentEvent[] {
  return sent
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => ({
      name: /^event: (.*)$/m.exec(block)?.[1],
      data: /^data: (.*)$/m.exec(block)?.[1] ?? "",
    }));
}

describe.each(NAMES)("an answer over %s", (wire) => {
  it("comes back whole", () => {
    fc.assert(
      fc.property(answer, (said) => {
        const back = WIRES[wire].readAnswer(overWire(WIRES[wire].writeAnswer(said, context)));
        expect(back && bare(back)).toEqual(said);
      }),
      settings,
    );
  });

  it("comes back whole in pieces", () => {
    fc.assert(
      fc.property(answer, (said) => {
        const writer = WIRES[wire].createWriter(context);
        const sent =
          piecesOf(said)
            .map((piece) => writer.write(piece))
            .join("") + writer.end();
        const read = WIRES[wire].createReader();
        const growing = createGrowingAnswer();
        for (const event of parseStream(sent).flatMap((each) => read(each))) growing.add(event);
        expect(growing.isFinished).toBe(true);
        expect(bare(growing.read())).toEqual(said);
      }),
      settings,
    );
  });
});
