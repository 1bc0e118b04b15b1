import type { Workspace } from "../workspace.ts";
import { isSamePath, readOutline } from "../change/read-outline.ts";
import type { Fact } from "../change/read-outline.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import { containment, foldLetters, keyWords, tellingLetters } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { Author, Cause, ChangeHead } from "../history/change.ts";
import type { FactRecord, History } from "../history/history.ts";
import { findEntries } from "./find-entries.ts";
import type { FactEntry } from "./find-entries.ts";
import { withFacts } from "./find-target.ts";
import type { HistoryEntry } from "./find-target.ts";
import { findMessage } from "../session/find-message.ts";

/** Where a fact comes from, as far as the records know. */
export interface FactStory {
  fact: string;
  /** The line of MEMORY.md; null for a fact that is gone. */
  line: number | null;
  /** The headings (and list items) that it stands under. */
  under: readonly string[];
  /** Its place among equals. */
  place: number;
  /** Who put it there. */
  author: Author | "unknown";
  /** The name of the model or agent; `user` for a person. */
  by: string | null;
  at: string | null;
  /** The change that brought it. */
  change: string | null;
  cause: Cause | null;
  session: string | null;
  message: string | null;
  quote: string | null;
  proof: FactRecord["proof"];
  /** Set where it stands on outside sources. */
  isUntrusted: boolean;
}

/** Each fact of MEMORY.md, line by line, with when it came, by whom, and from which words. */
export async function blame(workspace: Workspace, files: MemoryFiles): Promise<FactStory[]> {
  const outline = readOutline(await files.read(MEMORY_FILE));
  const { facts } = outline;
  const tell = await createTeller(workspace, files.scope, new Set(facts.map(({ text }) => text)));
  const times = new Map<string, number>();
  for (const { text } of facts) times.set(text, (times.get(text) ?? 0) + 1);
  const unclear = facts.filter(
    (fact) => (times.get(fact.text) ?? 0) > 1 && ((outline.names.get(fact.name) ?? 0) > 1 || !tell.isEntryKnown(fact)),
  );
  const entries = await findEntries(workspace.history, files.scope, outline, unclear);
  return facts.map((fact) => tell.present(fact, entries.get(fact)));
}

/** One turn in the life of a belief. */
export interface BeliefEvent {
  kind: "entered" | "left";
  change: string;
  at: string;
  author: Author;
  by: string;
  cause: Cause;
  trigger: string | null;
}

/** A fact's whole story. */
export interface WhyStory extends FactStory {
  /** The message that it was drawn from, as it was said. */
  said: { role: string; name: string | null; timestamp: unknown; text: string } | null;
  /** What it replaced, newest first. */
  replaced: string[];
  /** Every change in which it entered or left, oldest first. */
  history: BeliefEvent[];
  /** When and why it went, for a fact that is gone. */
  retired: { at: string; reason: string; replacedBy: string | null } | null;
}

/** Tells why a fact is (or was) believed: those that the words mean, present ones first. */
export async function why(workspace: Workspace, files: MemoryFiles, words: string): Promise<WhyStory[]> {
  const { history } = workspace;
  const { scope } = files;
  const outline = readOutline(await files.read(MEMORY_FILE));
  const present = outline.facts;
  const { letters, isMeant } = createMatch(words);
  const meant = new Set<string>();
  const take = (texts: readonly string[]): void => {
    for (const text of texts) if (meant.size < MOST_STORIES && !meant.has(text) && isMeant(text)) meant.add(text);
  };
  take(present.map(({ text }) => text));
  if (meant.size < MOST_STORIES) take(await history.listKnown(scope, MEMORY_FILE, letters));
  if (meant.size < MOST_STORIES) take(await history.listFactTexts(scope, letters));
  const tell = await createTeller(workspace, scope, meant);
  const changes = await withFacts(history, await history.naming(scope, MEMORY_FILE, [...meant]));
  const standing = Map.groupBy(
    present.filter(({ text }) => meant.has(text)),
    ({ text }) => text,
  );
  const equals = [...standing.values()].flatMap((same) => (same.length > 1 ? same.slice(0, MOST_STORIES) : []));
  const entries = await findEntries(history, scope, outline, equals);
  const ofPresent = async (fact: Fact): Promise<WhyStory> => {
    const entry = entries.get(fact);
    const story = tell.present(fact, entry);
    return {
      ...story,
      said: await readSaid(workspace, story),
      // Of equals each has what itself took the place of.
      replaced: await predecessors(history, scope, fact.text, entry && { first: entry.replaced }),
      history: entry ? entry.turns.map(({ kind, change }) => toEvent(kind, change)) : eventsOf(fact.text, changes),
      retired: null,
    };
  };
  const ofGone = async (text: string): Promise<WhyStory> => {
    const story = tell.gone(text);
    const end = (await history.listFacts({ scope, text })).findLast(({ retiredAt }) => retiredAt !== null);
    return {
      ...story,
      said: await readSaid(workspace, story),
      replaced: await predecessors(history, scope, text),
      history: eventsOf(text, changes),
      retired: end?.retiredAt
        ? { at: end.retiredAt, reason: end.retiredReason ?? "", replacedBy: end.replacedBy }
        : null,
    };
  };
  const stories = await Promise.all(
    [...meant].map((text) => Promise.all(standing.get(text)?.slice(0, MOST_STORIES).map(ofPresent) ?? [ofGone(text)])),
  );
  return stories.flat();
}

const MOST_STORIES = 10;

function eventsOf(fact: string, changes: readonly HistoryEntry[]): BeliefEvent[] {
  return changes.flatMap(({ change, added, removed }) => [
    ...(removed.includes(fact) ? [toEvent("left", change)] : []),
    ...(added.includes(fact) ? [toEvent("entered", change)] : []),
  ]);
}

function toEvent(
  kind: BeliefEvent["kind"],
  { id: change, at, author, by, cause, trigger }: Omit<BeliefEvent, "kind" | "change"> & { id: string },
): BeliefEvent {
  return { kind, change, at, author, by, cause, trigger };
}

/** Whether words mean a fact: they stand in it, or all that they say is in it; `letters` are in any that they mean. */
function createMatch(words: string): { letters: readonly string[]; isMeant: (fact: string) => boolean } {
  const literal = words.trim().toLowerCase();
  const wanted = keyWords(words);
  const letters = tellingLetters(wanted);
  const isMeant = (fact: string): boolean => {
    const folded = foldLetters(fact);
    if (!letters.every((each) => folded.includes(each))) return false;
    return (
      fact.toLowerCase().includes(literal) || (wanted.size > 0 && containment(wanted, keyWords(fact), () => 1) > 0.99)
    );
  };
  return { letters, isMeant };
}

/** Tells where facts come from. */
interface Teller {
  /** Of a fact that stands; with the change that brought it where equals stand around. */
  present(fact: Fact, entry: FactEntry | undefined): FactStory;
  /** Of words that no fact has by now. */
  gone(fact: string): FactStory;
  /** Whether a change is known that put these words under these headings. */
  isEntryKnown(fact: Fact): boolean;
}

/** Of the records, only what is about these facts is read. */
async function createTeller({ history }: Workspace, scope: string, facts: ReadonlySet<string>): Promise<Teller> {
  const entered = await history.lastEntries(scope, MEMORY_FILE, [...facts]);
  // Under its own headings where it is known there; else, as after a heading was renamed, wherever it came last.
  const entries = new Map<string, ChangeHead>();
  for (const { text, path, change } of entered.toSorted((one, other) => one.change.sequence - other.change.sequence))
    for (const name of [text, `${path}\n${text}`]) entries.set(name, change);
  const own = (await recordsOf(history, scope, facts)).filter(({ change }) => change !== null);
  const records = Map.groupBy(own, ({ text }) => text);
  return {
    present({ text, path: under, place, start }, entry) {
      const at = { line: start + 1, under, place };
      const all = records.get(text) ?? [];
      // What another of its equals stands on is not its source.
      const known = entry ? all.filter(({ change }) => change === entry.change.id) : all;
      const here = known.filter(({ path }) => path !== undefined && isSamePath(path, entry?.path ?? under));
      const entered = entry?.change ?? entries.get(nameUnder(text, under)) ?? entries.get(text);
      return tell(text, at, entered, here.length > 0 ? here : known);
    },
    gone: (text) => tell(text, { line: null, under: [], place: 0 }, entries.get(text), records.get(text) ?? []),
    isEntryKnown: ({ text, path }) => !entries.has(text) || entries.has(nameUnder(text, path)),
  };
}

function nameUnder(text: string, path: readonly string[]): string {
  return `${JSON.stringify(path)}\n${text}`;
}

// From about here on one pass over all records is quicker than a question for each fact.
const MANY_FACTS = 2000;

async function recordsOf(history: History, scope: string, facts: ReadonlySet<string>): Promise<FactRecord[]> {
  if (facts.size > MANY_FACTS) return (await history.listFacts({ scope })).filter(({ text }) => facts.has(text));
  return (await Promise.all([...facts].map((text) => history.listFacts({ scope, text })))).flat();
}

function tell(
  fact: string,
  place: Pick<FactStory, "line" | "under" | "place">,
  entered: Pick<ChangeHead, "id" | "author" | "by" | "at" | "cause"> | undefined,
  records: readonly FactRecord[],
): FactStory {
  const record = records.findLast(({ change }) => change === entered?.id) ?? records.at(-1);
  return {
    fact,
    ...place,
    author: entered?.author ?? "unknown",
    by: entered?.by ?? null,
    at: entered?.at ?? record?.addedAt ?? null,
    change: entered?.id ?? record?.change ?? null,
    cause: entered?.cause ?? null,
    session: record?.session ?? null,
    message: record?.message ?? null,
    quote: record?.quote ?? null,
    proof: record?.proof ?? "none",
    isUntrusted: record?.origin === "untrusted",
  };
}

async function readSaid(workspace: Workspace, { session, message }: FactStory): Promise<WhyStory["said"]> {
  if (session === null || message === null) return null;
  const said = await findMessage(workspace.logs, session, message);
  return said ? { role: said.role, name: said.name ?? null, timestamp: said.timestamp, text: textOf(said) } : null;
}

/** What a fact replaced, newest first: at each step the newest that had the next one in its place. */
async function predecessors(
  history: History,
  scope: string,
  fact: string,
  known?: { first: string | undefined },
): Promise<string[]> {
  const chain = new Set([fact]);
  if (known?.first !== undefined) chain.add(known.first);
  for (let next = known ? known.first : fact; next !== undefined;) {
    const earlier: string[] = await history.replacedBy(scope, next);
    next = earlier.findLast((text) => !chain.has(text));
    if (next !== undefined) chain.add(next);
  }
  chain.delete(fact);
  return [...chain];
}
