import { oneLine, parseFacts } from "../files/facts.ts";
import type { Fact } from "../files/facts.ts";
import { containment, keyWords } from "../files/similarity.ts";
import type { SessionLog } from "../session/log.ts";
import { changeMemory } from "./change-memory.ts";
import { editFacts } from "./edit-facts.ts";
import { traceFact } from "./evidence.ts";
import type { PlanItem } from "./plan-items.ts";
import { screenItems } from "./screen.ts";
import type { World } from "./world.ts";

const HEADING = "Facts";
const SAME_FACT = 0.8;
// Where a fact comes from is looked for in what was just said.
const RECENT_MESSAGES = 20;

/** A fact to be kept from now on. */
export interface FactInput {
  fact: string;
  /** The section of MEMORY.md; "Facts" when not given. */
  heading?: string | undefined;
  /** The words of the fact that this one corrects. */
  replaces?: string | undefined;
  /** Who wants it: a model's name, or `user`. */
  by: string;
}

/** What came of it; facts are given as they stand in the file. */
export type FactReceipt =
  | { kind: "saved"; fact: string; heading: string; replaced: string | undefined }
  | { kind: "known"; fact: string }
  | { kind: "forgotten"; fact: string }
  | { kind: "unclear"; reason: string; candidates: string[] };

/** Puts a fact into MEMORY.md, now, with its source and a revision. */
export function rememberFact(world: World, log: SessionLog, input: FactInput): Promise<FactReceipt> {
  return changeMemory<FactReceipt>(world, log, async (current) => {
    const words = oneLine(world.clean(input.fact)).replace(/^[-*+]\s+/, "");
    const heading = oneLine(input.heading ?? "").replace(/^#+\s*/, "") || HEADING;
    const section = `## ${heading}\n\n- ${words}\n`;
    const [fact] = parseFacts(section);
    if (fact === undefined)
      return { result: { kind: "unclear", reason: "there is no fact in these words", candidates: [] } };
    const facts = parseFacts(current);
    if (facts.some(({ text }) => text === fact.text)) return { result: { kind: "known", fact: fact.text } };
    const old = input.replaces === undefined ? undefined : findFact(facts, input.replaces);
    if (old?.kind === "unclear") return { result: old };
    const text = old
      ? editFacts(current, [{ kind: "replace", text: old.fact.text, by: fact.text }], section)
      : current.trim() === ""
        ? `# Memory\n\n${section}`
        : editFacts(current, [{ kind: "add", fact, after: undefined }], section);
    const item: PlanItem = old
      ? { kind: "reword", before: old.fact.text, fact: fact.text }
      : { kind: "add", fact: fact.text };
    const { held, reason } = screenItems(world, log, input.by === "user" ? [] : [item], { current, proposed: section });
    if (held !== undefined) {
      const change = {
        text: current,
        facts: [],
        retired: [],
        cause: "remember",
        author: "agent" as const,
        by: input.by,
      };
      const waits = `${reason}; it waits for the user to decide (tidemark review)`;
      return { change: { ...change, held }, result: { kind: "unclear", reason: waits, candidates: [] } };
    }
    const source = traceFact(fact.text, [], log.messages(Math.max(0, log.length - RECENT_MESSAGES)), log.key);
    const retired = old ? [{ text: old.fact.text, reason: "corrected", replacedBy: fact.text }] : [];
    return {
      change: { text, facts: [source], retired, cause: "remember", author: "agent", by: input.by },
      result: {
        kind: "saved",
        fact: fact.text,
        heading: old?.fact.path.at(-1) ?? heading,
        replaced: old?.fact.text,
      },
    };
  });
}

/** Takes a fact out of MEMORY.md, with a revision; where it is not clear which one is meant, nothing is touched. */
export function retireFact(world: World, log: SessionLog, words: string, by: string): Promise<FactReceipt> {
  return changeMemory<FactReceipt>(world, log, async (current) => {
    const found = findFact(parseFacts(current), words);
    if (found.kind === "unclear") return { result: found };
    const { text } = found.fact;
    return {
      change: {
        text: editFacts(current, [{ kind: "remove", text }], current),
        facts: [],
        retired: [{ text, reason: "asked to be forgotten", replacedBy: null }],
        cause: "forget",
        author: "agent",
        by,
      },
      result: { kind: "forgotten", fact: text },
    };
  });
}

type Found = { kind: "found"; fact: Fact } | Extract<FactReceipt, { kind: "unclear" }>;

/** The fact that these words mean: the same words, else the only one that holds them. */
function findFact(facts: readonly Fact[], words: string): Found {
  const wanted = oneLine(words).replace(/^[-*+]\s+/, "");
  const exact = facts.find(({ text }) => text.toLowerCase() === wanted.toLowerCase());
  if (exact) return { kind: "found", fact: exact };
  const wantedWords = keyWords(wanted);
  const near = facts.filter(({ text }) => containment(wantedWords, keyWords(text), () => 1) >= SAME_FACT);
  const [only] = near;
  if (only && near.length === 1) return { kind: "found", fact: only };
  const reason = near.length === 0 ? `no fact says "${wanted}"` : `${near.length} facts could be meant by "${wanted}"`;
  return { kind: "unclear", reason, candidates: near.map(({ text }) => text).slice(0, 10) };
}
