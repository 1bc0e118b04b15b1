import type { Workspace } from "../workspace.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import { containment, foldLetters, keyWords, tellingLetters } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { Author, FactRecord, RevisionHead, Run, State } from "../state/state.ts";
import { toChanges } from "./find-target.ts";
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
  /** Who put it there: a run, the agent, a person, an undo. */
  author: Author | "unknown";
  at: string | null;
  revision: number | null;
  run: string | null;
  cause: string | null;
  model: string | null;
  session: string | null;
  message: string | null;
  quote: string | null;
  proof: FactRecord["proof"];
  /** Set where it stands on outside sources. */
  isUntrusted: boolean;
}

/** Each fact of MEMORY.md, line by line, with when it came, by whom, and from which words. */
export async function blame(workspace: Workspace, files: MemoryFiles): Promise<FactStory[]> {
  const facts = parseFacts(await files.read(MEMORY_FILE));
  const tell = await createTeller(workspace, files.scope, new Set(facts.map(({ text }) => text)));
  return facts.map(({ text, start, path, place }) => tell(text, { line: start + 1, under: path, place }));
}

/** One turn in the life of a belief. */
export interface BeliefEvent {
  kind: "entered" | "left";
  revision: number;
  at: string;
  author: Author;
  cause: string;
  run: string | null;
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
  const { state } = workspace;
  const { scope } = files;
  const present = parseFacts(await files.read(MEMORY_FILE));
  const { letters, isMeant } = createMatch(words);
  const meant = new Set<string>();
  const take = (texts: readonly string[]): void => {
    for (const text of texts) if (meant.size < MOST_STORIES && !meant.has(text) && isMeant(text)) meant.add(text);
  };
  take(present.map(({ text }) => text));
  if (meant.size < MOST_STORIES) take(await state.listKnown(scope, MEMORY_FILE, letters));
  if (meant.size < MOST_STORIES) take(await state.listFactTexts(scope, letters));
  const tell = await createTeller(workspace, scope, meant);
  const changes = await toChanges(state, await state.revisionsNaming(scope, MEMORY_FILE, [...meant]));
  return Promise.all(
    [...meant].map(async (text) => {
      const records = await state.listFacts({ scope, text });
      const fact = present.find((each) => each.text === text);
      const line = fact?.start;
      const story = tell(text, {
        line: fact ? fact.start + 1 : null,
        under: fact?.path ?? [],
        place: fact?.place ?? 0,
      });
      const end = line === undefined ? records.findLast((record) => record.retiredAt !== null) : undefined;
      return {
        ...story,
        said: await readSaid(workspace, story),
        replaced: await predecessors(state, scope, text),
        history: eventsOf(text, changes),
        retired: end?.retiredAt
          ? { at: end.retiredAt, reason: end.retiredReason ?? "", replacedBy: end.replacedBy }
          : null,
      };
    }),
  );
}

const MOST_STORIES = 10;

function eventsOf(fact: string, changes: readonly HistoryEntry[]): BeliefEvent[] {
  return changes.flatMap(({ revision: { id: revision, at, author, cause, run }, added, removed }) => {
    const event = (kind: BeliefEvent["kind"]) => ({ kind, revision, at, author, cause, run });
    return [...(removed.includes(fact) ? [event("left")] : []), ...(added.includes(fact) ? [event("entered")] : [])];
  });
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

/** Tells where facts come from: of the records, only what is about these facts is read. */
async function createTeller(
  { state }: Workspace,
  scope: string,
  facts: ReadonlySet<string>,
): Promise<(fact: string, place: Pick<FactStory, "line" | "under" | "place">) => FactStory> {
  const entered = await state.lastEntries(scope, MEMORY_FILE, [...facts]);
  const heads = await state.headsAt([...new Set(entered.map(({ id }) => id))]);
  const revisions = new Map(heads.map((each) => [each.id, each]));
  // Under its own headings where it is known there; else, as after a heading was renamed, wherever it came last.
  const entries = new Map<string, RevisionHead | undefined>();
  for (const { text, path, id } of entered.toSorted((one, other) => one.id - other.id))
    for (const name of [text, `${path}\n${text}`]) entries.set(name, revisions.get(id));
  const own = (await recordsOf(state, scope, facts)).filter(({ run }) => run !== null);
  const records = Map.groupBy(own, ({ text }) => text);
  const ids = [...revisions.values(), ...own].flatMap(({ run }) => run ?? []);
  const runs = new Map((await state.runsOf([...new Set(ids)])).map((run) => [run.id, run]));
  return (fact, place) => {
    const under = JSON.stringify(place.under);
    const all = records.get(fact) ?? [];
    const here = all.filter(({ path }) => JSON.stringify(path) === under);
    const entry = entries.get(`${under}\n${fact}`) ?? entries.get(fact);
    return tell(fact, place, entry, here.length > 0 ? here : all, runs);
  };
}

// From about here on one pass over all records is quicker than a question for each fact.
const MANY_FACTS = 2000;

async function recordsOf(state: State, scope: string, facts: ReadonlySet<string>): Promise<FactRecord[]> {
  if (facts.size > MANY_FACTS) return (await state.listFacts({ scope })).filter(({ text }) => facts.has(text));
  return (await Promise.all([...facts].map((text) => state.listFacts({ scope, text })))).flat();
}

function tell(
  fact: string,
  place: Pick<FactStory, "line" | "under" | "place">,
  entered: RevisionHead | undefined,
  records: readonly FactRecord[],
  runs: ReadonlyMap<string, Run>,
): FactStory {
  const record = records.findLast(({ run }) => run === entered?.run) ?? records.at(-1);
  const run = runs.get(entered?.run ?? record?.run ?? "");
  return {
    fact,
    ...place,
    author: entered?.author ?? (record ? "run" : "unknown"),
    at: entered?.at ?? record?.addedAt ?? null,
    revision: entered?.id ?? null,
    run: run?.id ?? null,
    cause: entered?.cause ?? run?.cause ?? null,
    model: run?.model ?? null,
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
async function predecessors(state: State, scope: string, fact: string): Promise<string[]> {
  const chain = new Set([fact]);
  for (let next: string | undefined = fact; next !== undefined;) {
    const earlier: string[] = await state.replacedBy(scope, next);
    next = earlier.findLast((text) => !chain.has(text));
    if (next !== undefined) chain.add(next);
  }
  chain.delete(fact);
  return [...chain];
}
