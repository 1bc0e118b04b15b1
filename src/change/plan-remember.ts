import { PINNED } from "../layout.ts";
import { oneLine } from "../language/one-line.ts";
import { containment, keyWords } from "../language/similarity.ts";
import type { Basis, Draft, MemoryNow } from "./draft.ts";
import type { Planned } from "./commit.ts";
import { addition, removal, replacement } from "./edits-between.ts";
import { findExactly } from "./follow-fact.ts";
import { nameOf, readOutline } from "./read-outline.ts";
import type { Fact, FactName, Outline } from "./read-outline.ts";
import { traceFact } from "./trace-fact.ts";

const HEADING = "Facts";
// "likes green tea" names the fact "User likes green tea best": so much of what is asked for must be in it.
const NAMED = 0.8;

/** A fact to be kept from now on. */
export interface FactInput {
  fact: string;
  /** The section of MEMORY.md; "Facts" when not given. */
  heading?: string | undefined;
  /** The fact that this one corrects: its words, or exactly which one. */
  replaces?: string | FactName | undefined;
  /** Who wants it: a model's name, or `user`. */
  by: string;
  /** The last forgetting when these words came in (`hear()`); when they are given to us, if that is left out. */
  heard?: string | undefined;
}

/** What came of it; facts are given as they stand in the file. */
export type FactReceipt =
  | { kind: "saved"; fact: string; heading: string; replaced: string | undefined }
  | { kind: "known"; fact: string }
  | { kind: "retired"; fact: string }
  | { kind: "unclear"; reason: string; candidates: string[] };

/** Puts a fact into MEMORY.md, or in the place of the one that it corrects. */
export function planRemember(memory: MemoryNow, input: FactInput, basis: Basis): Planned<FactReceipt> {
  const words = oneLine(input.fact).replace(/^[-*+]\s+/, "");
  const heading = oneLine(input.heading ?? "").replace(/^#+\s*/, "") || HEADING;
  // A heading above all others is there from the start, as in a template.
  const title = memory.text.trim() === "" ? "# Memory\n\n" : "";
  const section = readOutline(`${title}## ${heading}\n\n- ${words}\n`);
  const [fact] = section.facts;
  const { facts } = memory.outline;
  if (fact === undefined || section.facts.length > 1)
    return { result: { kind: "unclear", reason: "these words hold no fact", candidates: [] } };
  const old = input.replaces === undefined ? undefined : findNamed(memory.outline, input.replaces);
  if (isKnown(facts, fact, input, old)) return { result: { kind: "known", fact: fact.text } };
  if (old?.kind === "unclear") return { result: old };
  const source = traceFact(fact, [], basis.messages, basis.session);
  const edit = old ? replacement(old.fact, fact, "corrected", source) : addition(fact, section, source);
  return {
    change: agentChange("remember", input.by, [edit], basis),
    result: {
      kind: "saved",
      fact: fact.text,
      heading: old?.fact.path.at(-1) ?? heading,
      replaced: old?.fact.text,
    },
  };
}

/** Whether memory says so already: where it was told exactly which fact is meant, under its headings; else anywhere. */
function isKnown(facts: readonly Fact[], { text, path }: Fact, input: FactInput, old: Named | undefined): boolean {
  if (typeof input.replaces === "object" && old?.kind === "found")
    return facts.some((each) => nameOf(each) === nameOf({ path: old.fact.path, text }));
  // Who names a heading means a fact of its own there: Ana likes tea, and so does Ben.
  const heading = input.heading === undefined ? undefined : path.at(-1);
  return facts.some((each) => each.text === text && (heading === undefined || isLast(each.path, heading)));
}

function isLast(path: readonly string[], heading: string): boolean {
  return path.at(-1)?.toLowerCase() === heading.toLowerCase();
}

/** Takes a fact out of MEMORY.md; where it is not clear which one is meant, nothing is touched. */
export function planRetire(memory: MemoryNow, fact: string | FactName, by: string, basis: Basis): Planned<FactReceipt> {
  const found = findNamed(memory.outline, fact);
  if (found.kind === "unclear") return { result: found };
  const edit = removal(found.fact, "asked to be taken out");
  return {
    change: { ...agentChange("retire", by, [edit], basis), isAnswered: true },
    result: { kind: "retired", fact: found.fact.text },
  };
}

/** Moves a fact to the heading whose facts stay when MEMORY.md must make room. */
export function planPin(memory: MemoryNow, words: string, by: string, basis: Basis): Planned<FactReceipt> {
  const found = findNamed(memory.outline, words);
  if (found.kind === "unclear") return { result: found };
  const { text, path } = found.fact;
  if (isLast(path, PINNED)) return { result: { kind: "known", fact: text } };
  const section = readOutline(`## ${PINNED}\n\n- ${text}\n`);
  const [fact] = section.facts;
  if (fact === undefined) return { result: { kind: "unclear", reason: "these words hold no fact", candidates: [] } };
  const source = traceFact(fact, [], basis.messages, basis.session);
  const edits = [removal(found.fact, "pinned"), addition(fact, section, source)];
  return {
    change: { ...agentChange("edit", by, edits, basis), trigger: "pin", isAnswered: true },
    result: { kind: "saved", fact: text, heading: PINNED, replaced: text },
  };
}

function agentChange(cause: Draft["cause"], by: string, edits: Draft["edits"], basis: Basis): Draft {
  return { cause, author: by === "user" ? "person" : "agent", by, edits, entries: [], held: [], basis };
}

type Named = { kind: "found"; fact: Fact } | Extract<FactReceipt, { kind: "unclear" }>;

/** The fact that is named, and no other; by words alone: the same words, else the only one that holds them. */
function findNamed(outline: Outline, words: string | FactName): Named {
  const { facts } = outline;
  if (typeof words === "object") {
    const fact = findExactly(outline, words);
    if (fact) return { kind: "found", fact };
    return { kind: "unclear", reason: `"${words.text}" is no longer there`, candidates: [] };
  }
  const wanted = oneLine(words).replace(/^[-*+]\s+/, "");
  const exact = facts.filter(({ text }) => text.toLowerCase() === wanted.toLowerCase());
  const wantedWords = keyWords(wanted);
  const near =
    exact.length > 0 ? exact : facts.filter(({ text }) => containment(wantedWords, keyWords(text), () => 1) >= NAMED);
  const [only] = near;
  // The same words under the same headings are as good as one another; under others they are about someone else.
  const isOne = only !== undefined && near.every(({ path }) => path.join("\n") === only.path.join("\n"));
  if (only && (near.length === 1 || (exact.length > 0 && isOne))) return { kind: "found", fact: only };
  const reason = near.length === 0 ? `no fact says "${wanted}"` : `${near.length} facts could be meant by "${wanted}"`;
  const candidates = near.map(({ path, text }) => (exact.length > 0 ? [...path, text].join(" › ") : text)).slice(0, 10);
  return { kind: "unclear", reason, candidates };
}
