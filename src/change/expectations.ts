import { parse } from "yaml";
import { z } from "zod";
import { describeError, MemoryError } from "../errors.ts";
import { EXPECTATIONS_FILE } from "../layout.ts";
import { parseFacts } from "./read-outline.ts";
import { containment, keyWords } from "../language/similarity.ts";

const Expectation = z.union([
  z.strictObject({ knows: z.string().min(1) }).transform(({ knows }) => ({ kind: "knows" as const, text: knows })),
  z.strictObject({ never: z.string().min(1) }).transform(({ never }) => ({ kind: "never" as const, text: never })),
]);

/** One thing that memory must know, or must never say. */
export type Expectation = z.infer<typeof Expectation>;

/** An expectation, whether it holds, and the fact that decides it. */
export type TestedExpectation = Expectation & { holds: boolean; fact: string | undefined };

/** Reads `- knows: …` and `- never: …` lines; an empty text expects nothing. */
export function parseExpectations(yaml: string): Expectation[] {
  if (yaml.trim() === "") return [];
  try {
    return z.array(Expectation).nullable().parse(parse(yaml)) ?? [];
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? `it must be a list of "- knows: …" and "- never: …"` : describeError(error);
    throw new MemoryError("CONFIG_INVALID", `memory/${EXPECTATIONS_FILE} cannot be used: ${reason}`, { cause: error });
  }
}

/** Checks a memory file against what is expected of it. */
export function testExpectations(expectations: readonly Expectation[], memory: string): TestedExpectation[] {
  const facts = parseFacts(memory).map(({ text, path }) => ({ text, words: keyWords([...path, text].join(" ")) }));
  return expectations.map((expectation) => {
    const wanted = keyWords(expectation.text);
    const fact = facts.find(({ text, words }) => {
      if (isDenied(text) !== isDenied(expectation.text)) return false;
      return contains(text, expectation.text) || (wanted.size > 0 && containment(wanted, words, () => 1) > 0.99);
    })?.text;
    return { ...expectation, holds: (expectation.kind === "knows") === (fact !== undefined), fact };
  });
}

function contains(text: string, part: string): boolean {
  return fold(text).includes(fold(part));
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** "No longer lives in Berlin" does not say that someone lives in Berlin. */
function isDenied(text: string): boolean {
  return /\b(?:no longer|not|never|n't|used to|formerly|stopped|moved from|nicht|kein|keine|nunca|não|pas)\b|n't\b/i.test(
    text,
  );
}
