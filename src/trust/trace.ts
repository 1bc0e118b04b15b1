import type { Workspace } from "../workspace.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import { containment, keyWords } from "../language/similarity.ts";
import { textOf } from "../session/message.ts";
import type { Author, FactRecord, Revision, Run } from "../state/state.ts";
import { listChanges } from "./find-target.ts";
import type { HistoryEntry } from "./find-target.ts";
import { findMessage } from "../session/find-message.ts";

/** Where a fact comes from, as far as the records know. */
export interface FactStory {
  fact: string;
  /** The headings and items above it; none for a fact that is gone. */
  under: readonly string[];
  /** The line of MEMORY.md; null for a fact that is gone. */
  line: number | null;
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
  const changes = await listChanges(workspace.state, files.scope);
  const records = await workspace.state.listFacts({ scope: files.scope });
  const known = await gather(workspace, changes, records);
  const facts = parseFacts(await files.read(MEMORY_FILE));
  return facts.map(({ text, start, path }) => tell(text, { line: start + 1, under: path }, known));
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
  const changes = await listChanges(workspace.state, files.scope);
  const records = await workspace.state.listFacts({ scope: files.scope });
  const gathered = await gather(workspace, changes, records);
  const present = parseFacts(await files.read(MEMORY_FILE));
  const known = new Set([
    ...present.map(({ text }) => text),
    ...changes.flatMap(({ added }) => added).toReversed(),
    ...records.map(({ text }) => text).toReversed(),
  ]);
  const meant = [...known].filter((text) => isMeant(text, words)).slice(0, 10);
  return Promise.all(
    meant.map(async (text) => {
      const fact = present.find((each) => each.text === text);
      const line = fact?.start;
      const story = tell(text, { line: fact ? fact.start + 1 : null, under: fact?.path ?? [] }, gathered);
      const end =
        line === undefined
          ? records.findLast((record) => record.text === text && record.retiredAt !== null)
          : undefined;
      return {
        ...story,
        said: await readSaid(workspace, story),
        replaced: predecessors(text, records),
        history: eventsOf(text, changes),
        retired: end?.retiredAt
          ? { at: end.retiredAt, reason: end.retiredReason ?? "", replacedBy: end.replacedBy }
          : null,
      };
    }),
  );
}

function eventsOf(fact: string, changes: readonly HistoryEntry[]): BeliefEvent[] {
  return changes.flatMap(({ revision: { id: revision, at, author, cause, run }, added, removed }) => {
    const event = (kind: BeliefEvent["kind"]) => ({ kind, revision, at, author, cause, run });
    return [...(removed.includes(fact) ? [event("left")] : []), ...(added.includes(fact) ? [event("entered")] : [])];
  });
}

/** Whether these words mean this fact: they stand in it, or all that they say is in it. */
function isMeant(fact: string, words: string): boolean {
  if (fact.toLowerCase().includes(words.trim().toLowerCase())) return true;
  const wanted = keyWords(words);
  return wanted.size > 0 && containment(wanted, keyWords(fact), () => 1) > 0.99;
}

/** What the records say, by the words of a fact: a large memory has tens of thousands of them. */
interface Gathered {
  /** The newest revision that brought a fact. */
  entered: ReadonlyMap<string, Revision>;
  records: ReadonlyMap<string, readonly FactRecord[]>;
  runs: ReadonlyMap<string, Run>;
}

async function gather(
  workspace: Workspace,
  changes: readonly HistoryEntry[],
  records: readonly FactRecord[],
): Promise<Gathered> {
  const entered = new Map<string, Revision>();
  for (const { revision, added } of changes) for (const fact of added) entered.set(fact, revision);
  const runs = await runsOf(workspace, changes, records);
  return {
    entered,
    records: Map.groupBy(
      records.filter(({ run }) => run !== null),
      ({ text }) => text,
    ),
    runs,
  };
}

function tell(fact: string, place: Pick<FactStory, "line" | "under">, gathered: Gathered): FactStory {
  const entered = gathered.entered.get(fact);
  const same = gathered.records.get(fact) ?? [];
  const record = same.findLast(({ run }) => run === entered?.run) ?? same.at(-1);
  const run = gathered.runs.get(entered?.run ?? record?.run ?? "");
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

async function runsOf(
  workspace: Workspace,
  changes: readonly HistoryEntry[],
  records: readonly FactRecord[],
): Promise<Map<string, Run>> {
  const ids = new Set([...changes.map(({ revision }) => revision.run), ...records.map(({ run }) => run)]);
  const found = await workspace.state.listRuns({ limit: 1_000_000 });
  return new Map(found.filter(({ id }) => ids.has(id)).map((run) => [run.id, run]));
}

async function readSaid(workspace: Workspace, { session, message }: FactStory): Promise<WhyStory["said"]> {
  if (session === null || message === null) return null;
  const said = await findMessage(workspace.sessions, session, message);
  return said ? { role: said.role, name: said.name ?? null, timestamp: said.timestamp, text: textOf(said) } : null;
}

function predecessors(fact: string, records: readonly FactRecord[]): string[] {
  const chain: string[] = [];
  for (let next: string | undefined = fact; next !== undefined;) {
    const current: string = next;
    next = records.findLast(
      ({ replacedBy, text }) => replacedBy === current && text !== fact && !chain.includes(text),
    )?.text;
    if (next !== undefined) chain.push(next);
  }
  return chain;
}
