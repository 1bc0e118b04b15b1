// @module-tag stores
import { expect, it } from "vitest";
import { ask, makePlace } from "./place.ts";

it("takes a word to be as rare as all of its stems together, whatever language a text seems to be in", async () => {
  const place = makePlace();
  // Its small words make the text seem Spanish, so that it has a stem of "mornings" that no other text has.
  const odd = "La casa de los mornings con el café y la terraza de los gatos.";
  place.say("cli:main", [
    { content: odd },
    ...Array.from({ length: 40 }, (_, day) => ({ content: `Mornings ${day}.` })),
  ]);
  const { results } = await ask(await place.open(), "mornings", { limit: 50 });
  expect(results).toHaveLength(41);
  expect(results.at(-1)?.text).toBe(odd);
});
