import { countOf } from "../language/count-of.ts";
import { oneLine } from "../language/one-line.ts";
import { holdAll } from "./draft.ts";
import type { Draft, Stretch } from "./draft.ts";
import { addition } from "./edits-between.ts";
import { nameOf, readOutline } from "./read-outline.ts";

/** A fact that another agent believed, with the message that stands for it here. */
export interface ImportedFact {
  text: string;
  heading: string;
  message: string;
}

/** Where facts come from, and the change that proposes them; `heard` is the last forgetting when they were read. */
export interface ImportedFrom {
  change: string;
  from: string;
  heard?: string | undefined;
}

/** Puts what another agent believed before a person, fact by fact; none of it is believed by itself. */
export function planImport(
  facts: readonly ImportedFact[],
  about: { change: string; stretch: Stretch; from: string },
): Draft {
  const { stretch, from } = about;
  const { session } = stretch;
  const source = (message: string, quote: string) => ({ session, message, quote, proof: "quote" as const });
  const sections = Map.groupBy(facts, ({ heading }) => oneLine(heading));
  const outline = readOutline(
    [...sections]
      .map(([title, items]) => `## ${title}\n\n${items.map(({ text }) => `- ${text}`).join("\n")}\n`)
      .join("\n"),
  );
  const messages = new Map(
    facts.map(({ text, heading, message }) => [nameOf({ path: [oneLine(heading)], text: oneLine(text) }), message]),
  );
  const edits = outline.facts.map((fact) => addition(fact, outline, source(messages.get(fact.name) ?? "", fact.text)));
  const reason = `${countOf(facts.length, "fact")} from ${from}`;
  const change: Draft = {
    cause: "import",
    trigger: from,
    author: "agent",
    by: "import",
    edits,
    entries: [],
    held: [],
    stretch,
    record: { id: about.change },
  };
  return holdAll(change, reason);
}
