import type { FactLine, FactPage } from "../../../server/inspector/fact-shapes.ts";

/** A row of the list: a fact or a heading, by its place in the page. Only rows that are drawn become more than that. */
export type FactItem = { kind: "heading"; under: number; first: number } | { kind: "fact"; index: number };

/** The rows of a page of facts, those with all of the words alone where there are any. */
export function toItems(page: FactPage, filter: string): { items: FactItem[]; count: number } {
  const wanted = filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const items: FactItem[] = [];
  let above = -1;
  let count = 0;
  page.facts.forEach(({ fact, under }, index) => {
    if (wanted.length > 0) {
      const text = `${fact} ${page.headings[under]?.join(" ")}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) return;
    }
    if (under !== above && (page.headings[under]?.length ?? 0) > 0)
      items.push({ kind: "heading", under, first: index });
    above = under;
    count++;
    items.push({ kind: "fact", index });
  });
  return { items, count };
}

/** What a fact is known by: the same words under the same headings are two facts, and have two places. */
export function factKey({ facts, headings }: FactPage, index: number): string {
  const { fact = "", under = 0, place = 0 } = facts[index] ?? {};
  return `${headings[under]?.join("\n")}\n${fact}\n${place}`;
}

const NO_BRINGER = { author: "unknown", at: null, cause: null, name: null, change: null } as const;
const NO_SOURCE = { session: null, message: null, quote: null, proof: "none", isUntrusted: false } as const;

/** A fact with all that is known of it. */
export function lineAt({ facts, headings, bringers }: FactPage, index: number): FactLine {
  const { fact = "", line = 0, under = 0, place = 0, by = 0, source } = facts[index] ?? {};
  return {
    fact,
    line,
    under: headings[under] ?? [],
    place,
    ...(bringers[by] ?? NO_BRINGER),
    ...(source ?? NO_SOURCE),
  };
}
