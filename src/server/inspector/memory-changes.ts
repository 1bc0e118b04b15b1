import { z } from "zod";
import { parseFacts } from "../../change/read-outline.ts";
import { oneLine } from "../../language/one-line.ts";
import type { Memory } from "../../memory.ts";
import type { LogEntry } from "../../trust/log.ts";
import { keyOfMemory } from "./memory-reads.ts";
import { SCHEMAS } from "./schemas.ts";
import type { ResultOf } from "./schemas.ts";
import type { FactChanged } from "./shapes.ts";

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
    if (receipt.kind === "unclear") return { kind: "conflict", reason: receipt.reason, now: receipt.candidates };
    return {
      kind: "done",
      fact: receipt.fact,
      undo: await undoOf(memory, ({ added }) => added.includes(receipt.fact)),
    };
  },
  async editFact(memory: Memory, body: unknown): Promise<FactChanged> {
    const { memory: scope, fact, words } = SCHEMAS.editFact.body.parse(body);
    if (oneLine(words) === fact) return { kind: "known", fact };
    const conflict = await findConflict(memory, scope, fact);
    if (conflict) return conflict;
    const input = { fact: words, replaces: fact, by: PERSON };
    const receipt = await memory.remember(await talkOf(memory, scope), input);
    if (receipt.kind === "known") return { kind: "known", fact: receipt.fact };
    if (receipt.kind !== "saved") return (await findConflict(memory, scope, fact)) ?? gone([]);
    const undo = await undoOf(memory, ({ added }) => added.includes(receipt.fact));
    if (receipt.replaced === fact) return { kind: "done", fact: receipt.fact, undo };
    // Between the look and the change somebody said it anew, and that was taken for the same fact: theirs comes back.
    if (undo !== null) await memory.undo({ id: undo, by: PERSON });
    return gone([receipt.replaced ?? ""].filter(Boolean));
  },
  async retireFact(memory: Memory, body: unknown): Promise<FactChanged> {
    const { memory: scope, fact } = SCHEMAS.retireFact.body.parse(body);
    const conflict = await findConflict(memory, scope, fact);
    if (conflict) return conflict;
    const receipt = await memory.retire(await talkOf(memory, scope), fact, PERSON);
    if (receipt.kind !== "retired") return (await findConflict(memory, scope, fact)) ?? gone([]);
    const undo = await undoOf(memory, ({ removed }) => removed.includes(receipt.fact));
    if (receipt.fact === fact) return { kind: "done", fact, undo };
    if (undo !== null) await memory.undo({ id: undo, by: PERSON });
    return gone([receipt.fact]);
  },
  async restore(memory: Memory, id: string): Promise<ResultOf<"restore">> {
    const { kind, revision } = await memory.trust.restore(id, PERSON);
    const cause = `restored revision ${revision}`;
    return { kind, undo: kind === "restored" ? await undoOf(memory, (entry) => entry.cause === cause) : null };
  },
  async undo(memory: Memory, body: unknown): Promise<ResultOf<"undo">> {
    const { id, partial } = SCHEMAS.undo.body.parse(body);
    const outcome = await memory.undo({ id, partial, by: PERSON });
    if (outcome.kind === "nothing") return { kind: "nothing" };
    if (outcome.kind === "conflict") return { kind: "conflict", conflicts: outcome.conflicts.map(toConflict) };
    const cause = `undo of revision ${outcome.revision}`;
    return {
      kind: "undone",
      removed: outcome.removed,
      restored: outcome.restored,
      left: outcome.left.map(toConflict),
      undo: await undoOf(memory, (entry) => entry.cause === cause),
    };
  },
  decide(memory: Memory, run: string, body: unknown): Promise<ResultOf<"decide">> {
    // Numbers of what waits change with each verdict: two at once could mean each other's items.
    const before = deciding.get(memory) ?? Promise.resolve();
    const decided = before.then(() => decideOne(memory, run, body));
    deciding.set(
      memory,
      decided.catch(() => undefined),
    );
    return decided;
  },
  async forget(memory: Memory, body: unknown): Promise<ResultOf<"forget">> {
    const { confirm: _, ...what } = SCHEMAS.forget.body.parse(body);
    const forgotten = await memory.trust.forget(what);
    if (forgotten.kind !== "forgotten") throw new Error("a forget that was no trial ended as one");
    return Receipt.parse(forgotten.receipt);
  },
};

const deciding = new WeakMap<Memory, Promise<unknown>>();

async function decideOne(memory: Memory, run: string, body: unknown): Promise<ResultOf<"decide">> {
  const { verdict, item, fact, words } = SCHEMAS.decide.body.parse(body);
  const proposal = (await memory.review()).find((each) => each.run === run);
  const wanted = proposal?.items.find((each) => each.number === item && each.fact === fact);
  // Another tab or the command line was faster.
  const found = wanted ?? proposal?.items.find((each) => each.fact === fact);
  if (found === undefined) return { kind: "gone" };
  const { left } = await memory.decide({ run, verdict, items: [found.number], words, by: PERSON });
  const cause = `review of ${run}`;
  const isIt = (entry: LogEntry) => entry.cause === cause && entry.revision !== null;
  return { kind: "done", left, undo: verdict === "accept" ? await undoOf(memory, isIt) : null };
}

function toConflict({ fact, became, revision }: { fact: string; became: string | undefined; revision: number }) {
  return { fact, became: became ?? null, revision };
}

const Receipt = SCHEMAS.forget.result;

async function talkOf(memory: Memory, scope: string): Promise<string> {
  return (await keyOfMemory(memory, scope)) ?? TALK;
}

/** A conflict if the fact is no longer there in these words, with what may have become of it. */
async function findConflict(memory: Memory, scope: string, fact: string): Promise<FactChanged | undefined> {
  const key = await keyOfMemory(memory, scope);
  const facts = parseFacts(await memory.readMemory(key));
  if (facts.some(({ text }) => text === fact)) return undefined;
  const newest = (await memory.trust.log({ limit: NEWEST })).find(({ removed }) => removed.includes(fact));
  const became = newest?.added ?? [];
  const standing = new Set(facts.map(({ text }) => text));
  return gone(became.filter((each) => standing.has(each)).slice(0, MOST_CANDIDATES));
}

function gone(now: string[]): FactChanged {
  return { kind: "conflict", reason: "It was changed elsewhere in the meantime; nothing was touched", now };
}

/** What takes back the newest change of this kind. */
async function undoOf(memory: Memory, isIt: (entry: LogEntry) => boolean): Promise<string | null> {
  const entry = (await memory.trust.log({ limit: NEWEST })).find((each) => each.revision !== null && isIt(each));
  return entry === undefined ? null : `r${entry.revision}`;
}

/** A revision's number or a run's id, as it comes in a path. */
export const ChangeId = z.string().regex(/^\w{1,40}$/);
