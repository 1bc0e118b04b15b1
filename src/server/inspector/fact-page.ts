import type { FactStory } from "../../trust/trace.ts";
import type { FactPage } from "./fact-shapes.ts";

/** Puts stories together in few bytes: a large memory has tens of thousands of facts, and most share where they come from. */
export function toFactPage(stories: readonly FactStory[]): FactPage {
  const headings = createPlaces<readonly string[]>();
  const bringers = createPlaces<FactPage["bringers"][number]>();
  const facts = stories.map((story) => {
    const { fact, line, under, place, author, at, cause, by: name, change } = story;
    const { session, message, quote, proof, isUntrusted } = story;
    const isKnown = session !== null || proof !== "none" || isUntrusted;
    return {
      fact,
      line: line ?? 0,
      under: headings.placeOf(under.join("\n"), under),
      ...(place > 0 ? { place } : {}),
      by: bringers.placeOf(`${change} ${author} ${at}`, { author, at, cause, name, change }),
      ...(isKnown ? { source: { session, message, quote, proof, isUntrusted } } : {}),
    };
  });
  return { headings: headings.all.map((path) => [...path]), bringers: bringers.all, facts };
}

/** A list in which everything stands once, and is known by its place. */
function createPlaces<T>(): { all: T[]; placeOf(key: string, value: T): number } {
  const all: T[] = [];
  const places = new Map<string, number>();
  return {
    all,
    placeOf(key, value) {
      const place = places.get(key) ?? all.push(value) - 1;
      places.set(key, place);
      return place;
    },
  };
}
