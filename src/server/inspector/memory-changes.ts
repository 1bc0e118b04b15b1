import { z } from "zod";
import type { FactName } from "../../change/read-outline.ts";
import { nameOf, parseFacts } from "../../change/read-outline.ts";
import { oneLine } from "../../language/one-line.ts";
import type { Memory } from "../../memory.ts";
import type { LogEntry } from "../../trust/read-log.ts";
import { keyOfMemory } from "./memory-reads.ts";
import { SCHEMAS } from "./schemas.ts";
import type { ResultOf } from "./schemas.ts";
import type { FactChanged } from "./fact-shapes.ts";
import { createQueue } from "../../queue.ts";
import type { Queue } from "../../queue.ts";

// Whoever holds the page's cookie or the token acts as the person whose memory it is.
const PERSON = "user";
// A talk of its own, in which nothing was ever said: no page that an agent read can speak there.
const TALK = "ui:page";
const NEWEST = 20;
const MOST_CANDIDATES = 5;

/** Every operation of the inspector that changes something. Each is a verb of the memory, in a person's name. */
export const CHANGES = {
  async addFact(memory: Memory, body: unknown): Promise<FactChanged> {
    const { memory: scope, fact, heading } = SCHEMAS.addFact.body.parse(body);
    const receipt = await memory.remember(await talkOf(memory, scope), { fact, heading, by: PERSON });
    if (receipt.kind === "known") return { kind: "known", fact: receipt.fact };
    if (receipt.kind === "unclear") return { kind: "conflict", reason: receipt.reason, now: [] };
    return {
      kind: "done",
      fact: receipt.fact,
      undo: await undoOf(memory, ({ added }) => added.includes(receipt.fact)),
    };
  },
  async editFact(memory: Memory, body: unknown): Promise<FactChanged> {
    const { words, ...which } = SCHEMAS.editFact.body.parse(body);
    if (oneLine(words) === which.fact) return { kind: "known", fact: which.fact };
    const fact = await findFact(memory, which);
    if (fact === undefined) return goneFact(memory, which);
    const input = { fact: words, replaces: fact, by: PERSON };
    const receipt = await memory.remember(await talkOf(memory, which.memory), input);
    if (receipt.kind === "known") return { kind: "known", fact: receipt.fact };
    if (receipt.kind !== "saved") return goneFact(memory, which);
    return {
      kind: "done",
      fact: receipt.fact,
      undo: await undoOf(memory, ({ added }) => added.includes(receipt.fact)),
    };
  },
  async retireFact(memory: Memory, body: unknown): Promise<FactChanged> {
    const which = SCHEMAS.retireFact.body.parse(body);
    const fact = await findFact(memory, which);
    if (fact === undefined) return goneFact(memory, which);
    const receipt = await memory.retire(await talkOf(memory, which.memory), fact, PERSON);
    if (receipt.kind === "unclear" && (await findFact(memory, which)))
      return { kind: "conflict", reason: receipt.reason, now: [] };
    if (receipt.kind !== "retired") return goneFact(memory, which);
    return { kind: "done", fact: fact.text, undo: await undoOf(memory, ({ removed }) => removed.includes(fact.text)) };
  },
  async restore(memory: Memory, id: string): Promise<ResultOf<"restore">> {
    const { kind, change } = await memory.trust.restore(id, PERSON);
    const isIt = ({ cause, of }: LogEntry) => cause === "restore" && of === change;
    return { kind, undo: kind === "restored" ? await undoOf(memory, isIt) : null };
  },
  async undo(memory: Memory, body: unknown): Promise<ResultOf<"undo">> {
    const { id, partial } = SCHEMAS.undo.body.parse(body);
    const decided = (await memory.history.listDecided()).find((each) => each.id === id);
    if (decided?.verdict === "reject") {
      const returned = await memory.reconsider({ change: id, by: PERSON });
      return returned.kind === "returned" ? { kind: "returned", items: returned.items } : { kind: "nothing" };
    }
    const outcome = await memory.undo({ id, partial, by: PERSON });
    if (outcome.kind === "nothing") return { kind: "nothing" };
    if (outcome.kind === "conflict") return { kind: "conflict", conflicts: outcome.conflicts.map(toConflict) };
    return {
      kind: "undone",
      removed: outcome.removed,
      restored: outcome.restored,
      left: outcome.left.map(toConflict),
      undo: await undoOf(memory, ({ cause, of }) => cause === "undo" && of === outcome.change),
    };
  },
  decide(memory: Memory, change: string, body: unknown): Promise<ResultOf<"decide">> {
    // One after the other: the second of two clicks finds what the first one decided.
    const queue = deciding.get(memory) ?? createQueue();
    deciding.set(memory, queue);
    return queue.add(() => decideOne(memory, change, body));
  },
  async forget(memory: Memory, body: unknown): Promise<ResultOf<"forget">> {
    const { confirm: _, ...what } = SCHEMAS.forget.body.parse(body);
    const forgotten = await memory.trust.forget(what);
    if (forgotten.kind !== "forgotten") throw new Error("a forget that was no trial ended as one");
    return Receipt.parse(forgotten.receipt);
  },
};

const deciding = new WeakMap<Memory, Queue>();

async function decideOne(memory: Memory, change: string, body: unknown): Promise<ResultOf<"decide">> {
  const { verdict, item, words } = SCHEMAS.decide.body.parse(body);
  const isWaiting = async () =>
    (await memory.review()).some((each) => each.change === change && each.items.some(({ id }) => id === item));
  // Another tab or the command line was faster.
  if (!(await isWaiting())) return { kind: "gone" };
  const decided = await memory
    .decide({ change, verdict, ids: [item], words, by: PERSON })
    .catch(async (error: unknown) => {
      if (await isWaiting()) throw error;
      return undefined;
    });
  if (decided === undefined) return { kind: "gone" };
  const { left, decision, refused: [refused] = [] } = decided;
  if (refused) return { kind: "refused", reason: refused.reason };
  return { kind: "done", left, undo: decision };
}

function toConflict({ fact, became, change }: { fact: string; became: string | undefined; change: string }) {
  return { fact, became: became ?? null, change };
}

const Receipt = SCHEMAS.forget.result;

async function talkOf(memory: Memory, scope: string): Promise<string> {
  return (await keyOfMemory(memory, scope)) ?? TALK;
}

type Which = z.output<typeof SCHEMAS.retireFact.body>;

/** The fact that is meant, and no other; undefined if it is not there any more, or if its words alone do not tell. */
async function findFact(memory: Memory, { memory: scope, fact, under, place }: Which): Promise<FactName | undefined> {
  const facts = parseFacts(await memory.readMemory(await keyOfMemory(memory, scope)));
  const same = facts.filter(({ text }) => text === fact);
  if (under === undefined) return same.length === 1 ? same[0] : undefined;
  return same.find((each) => each.place === place && nameOf(each) === nameOf({ path: under, text: fact }));
}

/** A conflict, with what may have become of the fact. */
async function goneFact(memory: Memory, { memory: scope, fact, under }: Which): Promise<FactChanged> {
  const facts = parseFacts(await memory.readMemory(await keyOfMemory(memory, scope)));
  const newest = (await memory.trust.log({ limit: NEWEST })).find(({ removed }) => removed.includes(fact));
  const standing = new Map(facts.map((each) => [each.text, each]));
  const became = (newest?.added ?? []).flatMap((each) => standing.get(each) ?? []);
  const equals = facts.filter(({ text }) => text === fact);
  const now = [...became, ...equals].slice(0, MOST_CANDIDATES);
  return {
    kind: "conflict",
    reason:
      under === undefined && equals.length > 1
        ? `${equals.length} facts say this; nothing was changed`
        : "It was changed elsewhere in the meantime; nothing was changed here",
    now: now.map(({ text, path, place }) => ({ fact: text, under: [...path], place })),
  };
}

/** What takes back the newest change of this kind. */
async function undoOf(memory: Memory, isIt: (entry: LogEntry) => boolean): Promise<string | null> {
  const entry = (await memory.trust.log({ limit: NEWEST })).find((each) => each.file !== null && isIt(each));
  return entry?.id ?? null;
}

/** The id of a change, as it comes in a path. */
export const ChangeId = z.string().regex(/^[\w-]{1,60}$/);
