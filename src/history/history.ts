import { existsSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { describeError, MemoryError, systemCode } from "../errors.ts";
import type { ChangeLogs } from "../store/changes.ts";
import {
  copyDatabase,
  isNoDatabase,
  openBare,
  openCache,
  openScratch,
  prepared,
  transact,
  whenFree,
} from "../store/files/database.ts";
import type { Database } from "../store/files/database.ts";
import { isWritable, makeTemporaryFolder } from "../store/files/disk.ts";
import { Change, hashText } from "./change.ts";
import type { ChangeHead, FactCounts, Held, HeldItem, TextChange } from "./change.ts";
import { Proof } from "./edit.ts";
import type { Source } from "./edit.ts";
import { clearScope, foldLine, SCHEMA } from "./fold-change.ts";
import type { ModelAnswer } from "./model-answer.ts";
import { applyPatch, makePatch, WHOLE_EVERY } from "./text-patch.ts";

/** A fact that a change brought, and where it comes from. */
export interface SourcedFact extends Source {
  text: string;
  path?: string[] | undefined;
}

/** A fact with its whole story. */
export interface FactRecord extends SourcedFact {
  /** The change that brought it; null for one that a person wrote. */
  change: string | null;
  addedAt: string;
  retiredAt: string | null;
  retiredBy: string | null;
  retiredReason: string | null;
  replacedBy: string | null;
}

/** What became of the facts of one memory, in numbers. */
export interface Account {
  /** Facts that ever entered, each by its words. */
  entered: number;
  /** Of those: still there, word for word. */
  standing: number;
  /** There in a later wording. */
  reworded: number;
  /** In a note. */
  moved: number;
  /** Facts that a digest took out without a reason on record. */
  lost: string[];
}

/** A change of which something waits, with that. */
export interface WaitingHeld extends Held {
  change: ChangeHead;
  /** The first entry that the change wrote to the diary. */
  entry: string;
}

/** What a person decided about items of a change. */
export interface Decided {
  /** The change that decided it. */
  id: string;
  proposal: string;
  verdict: "accept" | "reject";
  items: HeldItem[];
}

/** Which changes are asked for. */
export interface ChangeQuery {
  scope?: string | undefined;
  /** Only those that changed the text of this file; a scope must be named. */
  file?: string | undefined;
  session?: string | undefined;
  /** The newest so many. */
  last?: number | undefined;
  /** Between two others of the same scope, by their places in its log. */
  after?: number | undefined;
  before?: number | undefined;
}

/** How belief changed: what the logs of changes tell, added up, as they are at the moment of asking. */
export interface History {
  /** Oldest first. */
  list(query?: ChangeQuery): Promise<ChangeHead[]>;
  /** The changes whose id begins so. */
  find(idStart: string): Promise<ChangeHead[]>;
  /** These changes with all that they did, in the order of their logs. */
  at(ids: readonly string[]): Promise<Change[]>;
  /** The text that a change left in its file, and the one that it found. */
  textsOf(id: string): Promise<{ before: string; text: string } | undefined>;
  /** The newest text of a file that the log knows, with the change that left it. */
  latest(scope: string, file: string): Promise<{ change: ChangeHead; text: string } | undefined>;
  /** How the log tells that a file says this now. */
  describeText(scope: string, file: string, text: string): Promise<TextChange>;
  /** Every scope that has a log. */
  scopes(): Promise<string[]>;
  /** The changes in which one of these facts came or went, oldest first. */
  naming(scope: string, file: string, facts: readonly string[]): Promise<ChangeHead[]>;
  /** The facts that came and went with each of these changes. */
  factChangesIn(ids: readonly string[]): Promise<Map<string, { added: string[]; removed: string[] }>>;
  /** The newest change in which each of these facts entered, under each of its headings (`path`, as JSON). */
  lastEntries(
    scope: string,
    file: string,
    facts: readonly string[],
  ): Promise<{ text: string; path: string; change: ChangeHead }[]>;
  /** The words of the facts that a file ever held, newest first: of those in plain ASCII the ones with all this in them. */
  listKnown(scope: string, file: string, holding: readonly string[]): Promise<string[]>;
  /** Changes whenever a fact comes or goes. */
  factsVersion(): Promise<string>;
  /** With `mayHold`, only those whose words it lets pass. */
  listFacts(
    query?: { scope?: string; session?: string; text?: string; change?: string },
    mayHold?: (text: string) => boolean,
  ): Promise<FactRecord[]>;
  /** The words of the facts on record, newest first: of those in plain ASCII the ones with all this in them. */
  listFactTexts(scope: string, holding: readonly string[]): Promise<string[]>;
  /** The words of the facts that one took the place of, oldest first. */
  replacedBy(scope: string, fact: string): Promise<string[]>;
  /** Facts that stand on outside sources, also those that a person accepted. */
  listUntrustedFacts(): Promise<SourcedFact[]>;
  /** Counts what became of every fact, given the words of those that stand. */
  accountFor(scope: string, file: string, standing: readonly string[]): Promise<Account>;
  /** What all changes did together. */
  sum(): Promise<Omit<FactCounts, "kept" | "unproven"> & { count: number }>;
  /** What waits for a person, oldest first. */
  listWaiting(): Promise<WaitingHeld[]>;
  /** What was decided and stands, newest first. */
  listDecided(): Promise<Decided[]>;
  /** The sessions whose digest failed since their last success, and how often. */
  listFailures(): Promise<Map<string, number>>;
  /** What models answered, by change, oldest first; of one change where that is named. */
  listAnswers(id?: string): Promise<(ModelAnswer & { change: string })[]>;
  hasOutside(scope: string): Promise<boolean>;
  /** Whether one of these messages came from outside, or retold what did. */
  hasOutsideMessage(session: string, messages: readonly string[]): Promise<boolean>;
  findOutsideFiles(paths: readonly string[]): Promise<{ path: string; tool: string }[]>;
  findOutsideWords(scope: string, hashes: readonly string[]): Promise<{ hash: string; tool: string }[]>;
  /** The changes at the end of a log that may not have been carried out yet, oldest first. `isSure`: they were not. */
  listTail(scope: string): Promise<{ changes: Change[]; isSure: boolean }>;
  /** Notes that everything up to the end of a log has been carried out. */
  noteCarried(scope: string): Promise<void>;
  /** The scopes whose logs end in changes that were not carried out. */
  scopesWithTail(): Promise<string[]>;
  /** How many lines of the logs could not be read. */
  countDamaged(): Promise<{ scope: string; lines: number }[]>;
  /** Adds a change that is in no log: for those who only look. */
  pretend(change: Change): Promise<void>;
  /** Throws away what was added up; it is read again from the logs. */
  reset(): Promise<void>;
  close(): void;
}

/** Where the sums lie, and what they are made of. */
export interface HistorySetting {
  logs: ChangeLogs;
  /** The file of the cache; it is made where it is not there. */
  path: string;
  /** Whether nothing at all may be written, also no cache. */
  isReadOnly?: boolean | undefined;
}

/** Opens the history of a workspace; nothing is read before the first question. */
export function openHistory({ logs, path, isReadOnly = false }: HistorySetting): History {
  const cache = createCache(path, isReadOnly);
  /** Reads what was appended to a log since; a chunk at a time, so that others have their turn. */
  const follow = async (scope: string): Promise<void> => {
    for (;;) {
      const place = await whenFree(() => readPlace(cache.database(), scope));
      const read = await logs.read(scope, place);
      if (read === undefined) {
        if (place !== undefined)
          await whenFree(() => transact(cache.database(), () => clearScope(cache.database(), scope)));
        return;
      }
      const isNothingNew = read.isContinued && read.lines.length === 0;
      if (!isNothingNew) await whenFree(() => foldLines(cache.database(), scope, place, read));
      if (!read.isMore) return;
    }
  };
  const followAll = async (): Promise<void> => {
    const scopes = await logs.scopes();
    for (const scope of scopes) await follow(scope);
    const known = await whenFree(() =>
      rows(cache.database(), "SELECT scope FROM logs").map((row) => String(row["scope"])),
    );
    for (const scope of known.filter((each) => !scopes.includes(each))) await follow(scope);
  };
  /** Answers from what the log says now; a cache that turns out to be damaged is made again, once. */
  const ask = async <T>(scope: string | undefined, answer: (database: Database) => T): Promise<T> => {
    const attempt = async (): Promise<T> => {
      await (scope === undefined ? followAll() : follow(scope));
      return whenFree(() => answer(cache.database()));
    };
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof MemoryError && !isNoDatabase(error.cause)) throw error;
      if (!isNoDatabase(error) && !(error instanceof MemoryError)) {
        if (systemCode(error) !== "ERR_SQLITE_ERROR") throw error;
        throw new MemoryError("STATE_UNUSABLE", `Cannot use the cache ${path}: ${describeError(error)}`, {
          cause: error,
        });
      }
      cache.discard();
      return attempt();
    }
  };
  return {
    list: (query = {}) => ask(query.scope, (database) => selectHeads(database, query)),
    find: (idStart) =>
      ask(undefined, (database) =>
        headRows(
          rows(
            database,
            "SELECT head FROM changes WHERE id >= ? AND id < ? || char(1114111) ORDER BY ms, sequence",
            idStart,
            idStart,
          ),
        ),
      ),
    at: (ids) =>
      ask(undefined, (database) =>
        rows(
          database,
          "SELECT line, number FROM changes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY scope, sequence",
          JSON.stringify(ids),
        ).map(readChange),
      ),
    textsOf: (id) =>
      ask(undefined, (database) => {
        const [row] = rows(database, "SELECT scope, file, sequence FROM changes WHERE id = ? AND file IS NOT NULL", id);
        if (row === undefined) return undefined;
        const place = [String(row["scope"]), String(row["file"])] as const;
        const sequence = Number(row["sequence"]);
        const text = textAt(database, ...place, sequence) ?? "";
        return { before: textAt(database, ...place, sequence - 1) ?? "", text };
      }),
    latest: (scope, file) =>
      ask(scope, (database) => {
        const [row] = rows(
          database,
          "SELECT heads.text, changes.head FROM heads JOIN changes ON changes.number = heads.change WHERE heads.scope = ? AND heads.file = ?",
          scope,
          file,
        );
        const [change] = row === undefined ? [] : headRows([row]);
        return row && change && { change, text: String(row["text"]) };
      }),
    describeText: (scope, file, text) =>
      ask(scope, (database) => {
        const [head] = rows(database, "SELECT text, since_whole FROM heads WHERE scope = ? AND file = ?", scope, file);
        const before = String(head?.["text"] ?? "");
        const hashes = { file, before: hashText(before), after: hashText(text) };
        // Reading a text goes back over few differences, and damage to one line spoils few texts.
        if (head === undefined || Number(head["since_whole"]) >= WHOLE_EVERY - 1) return { ...hashes, whole: text };
        const patch = makePatch(before, text);
        const length = patch.reduce((sum, [, , piece]) => sum + piece.length + 16, 0);
        return length * 2 > text.length ? { ...hashes, whole: text } : { ...hashes, patch };
      }),
    scopes: () => logs.scopes(),
    naming: (scope, file, facts) =>
      ask(scope, (database) =>
        headRows(
          rows(
            database,
            `SELECT head FROM changes WHERE number IN (SELECT turns.change FROM json_each(?) AS word
               CROSS JOIN known ON known.scope = ? AND known.file = ? AND known.text = word.value
               CROSS JOIN turns ON turns.fact = known.id)
             ORDER BY sequence`,
            JSON.stringify(facts),
            scope,
            file,
          ),
        ),
      ),
    factChangesIn: (ids) => ask(undefined, (database) => selectFactChanges(database, ids)),
    lastEntries: (scope, file, facts) =>
      ask(scope, (database) =>
        rows(
          database,
          `SELECT entry.text, entry.path, changes.head FROM (
             SELECT known.text AS text, turns.path AS path, max(turns.change) AS change FROM json_each(?) AS word
             CROSS JOIN known ON known.scope = ? AND known.file = ? AND known.text = word.value
             CROSS JOIN turns ON turns.fact = known.id AND turns.kind = 'enter' GROUP BY known.id, turns.path
           ) AS entry CROSS JOIN changes ON changes.number = entry.change`,
          JSON.stringify(facts),
          scope,
          file,
        ).flatMap((row) =>
          headRows([row]).map((change) => ({ text: String(row["text"]), path: String(row["path"]), change })),
        ),
      ),
    listKnown: (scope, file, holding) =>
      ask(scope, (database) =>
        texts(
          database,
          `SELECT text FROM known WHERE scope = ? AND file = ? AND ${mayHold(holding)} ORDER BY entered DESC`,
          scope,
          file,
          ...holding,
        ),
      ),
    factsVersion: () =>
      ask(undefined, (database) =>
        String(rows(database, "SELECT count(*) || '.' || coalesce(max(id), 0) AS version FROM facts")[0]?.["version"]),
      ),
    listFacts: ({ scope, session, text, change } = {}, isWanted = () => true) =>
      ask(scope, (database) => {
        const wanted = Object.entries({ scope, session, text, change }).filter(([, value]) => value !== undefined);
        const conditions = wanted.map(([column]) => `${column} = ?`).join(" AND ") || "true";
        const found = rows(
          database,
          `SELECT * FROM facts WHERE ${conditions} ORDER BY id`,
          ...wanted.map(([, value]) => value ?? ""),
        );
        return found.filter((row) => isWanted(String(row["text"]))).map((row) => FactRow.parse(row));
      }),
    listFactTexts: (scope, holding) =>
      ask(scope, (database) =>
        texts(
          database,
          `SELECT text FROM facts WHERE scope = ? AND ${mayHold(holding)} GROUP BY text ORDER BY max(id) DESC`,
          scope,
          ...holding,
        ),
      ),
    replacedBy: (scope, fact) =>
      ask(scope, (database) =>
        texts(database, "SELECT text FROM facts WHERE scope = ? AND replaced_by = ? ORDER BY id", scope, fact),
      ),
    listUntrustedFacts: () =>
      ask(undefined, (database) =>
        rows(database, "SELECT * FROM facts WHERE origin IS NOT NULL ORDER BY id").map((row) => FactRow.parse(row)),
      ),
    accountFor: (scope, file, standing) => ask(scope, (database) => account(database, scope, file, standing)),
    sum: () =>
      ask(undefined, (database) => {
        const [row] = rows(
          database,
          "SELECT sum(count) AS count, sum(added) AS added, sum(reworded) AS reworded, sum(retired) AS retired FROM sums",
        );
        const of = (name: string) => Number(row?.[name] ?? 0);
        return { count: of("count"), added: of("added"), reworded: of("reworded"), retired: of("retired") };
      }),
    listWaiting: () => ask(undefined, selectWaiting),
    listDecided: () => ask(undefined, selectDecided),
    listFailures: () =>
      ask(undefined, (database) => {
        const found = rows(database, "SELECT session, count FROM failures ORDER BY session");
        return new Map(found.map((row) => [String(row["session"]), Number(row["count"])] as const));
      }),
    listAnswers: (id) =>
      ask(undefined, (database) => {
        const which = id === undefined ? "line ->> 'answer' IS NOT NULL" : "id = ?";
        const found = rows(
          database,
          `SELECT line FROM changes WHERE ${which} ORDER BY ms, sequence`,
          ...(id === undefined ? [] : [id]),
        );
        return found.map(readChange).flatMap(({ id: change, answer }) => (answer ? [{ ...answer, change }] : []));
      }),
    hasOutside: (scope) =>
      ask(scope, (database) => rows(database, "SELECT 1 FROM outside_words WHERE scope = ? LIMIT 1", scope).length > 0),
    hasOutsideMessage: (session, messages) =>
      ask(undefined, (database) => {
        const find = prepared(database, "SELECT 1 FROM outside_messages WHERE session = ? AND message = ?");
        return messages.some((message) => find.get(session, message) !== undefined);
      }),
    findOutsideFiles: (paths) =>
      ask(undefined, (database) => {
        const find = prepared(database, "SELECT tool FROM outside_files WHERE path = ?");
        return paths.flatMap((each) => {
          const row = find.get(each);
          return row === undefined ? [] : [{ path: each, tool: String(row["tool"]) }];
        });
      }),
    findOutsideWords: (scope, hashes) =>
      ask(scope, (database) => {
        const find = prepared(database, "SELECT tool FROM outside_words WHERE scope = ? AND hash = ?");
        return hashes.flatMap((hash) => {
          const row = find.get(scope, hash);
          return row === undefined ? [] : [{ hash, tool: String(row["tool"]) }];
        });
      }),
    listTail: (scope) =>
      ask(scope, (database) => {
        if (logs.isCarriedOut) return { changes: [], isSure: true };
        const [log] = rows(database, "SELECT sequence, carried FROM logs WHERE scope = ?", scope);
        const isSure = log?.["carried"] !== null;
        // Whoever commits finishes what is there before: at most the last change can be unfinished where nobody noted it.
        const carried = isSure ? Number(log?.["carried"] ?? 0) : Number(log?.["sequence"] ?? 0) - 1;
        const found = rows(
          database,
          "SELECT line, number FROM changes WHERE scope = ? AND sequence > ? ORDER BY sequence",
          scope,
          carried,
        );
        return { changes: found.map((row) => withText(database, row)), isSure };
      }),
    noteCarried: async (scope) => {
      await ask(scope, (database) =>
        prepared(database, "UPDATE logs SET carried = sequence WHERE scope = ?").run(scope),
      );
    },
    scopesWithTail: async () =>
      logs.isCarriedOut
        ? []
        : ask(undefined, (database) =>
            rows(database, "SELECT scope FROM logs WHERE carried IS NULL OR carried < sequence").map((row) =>
              String(row["scope"]),
            ),
          ),
    countDamaged: () =>
      ask(undefined, (database) =>
        rows(database, "SELECT scope, damaged FROM logs WHERE damaged > 0").map((row) => ({
          scope: String(row["scope"]),
          lines: Number(row["damaged"]),
        })),
      ),
    async pretend(change) {
      await followAll();
      await cache.copy();
      const database = cache.database();
      transact(database, () => {
        const [log] = rows(database, "SELECT sequence FROM logs WHERE scope = ?", change.scope);
        foldLine(database, change.scope, Number(log?.["sequence"] ?? 0) + 1_000_000, JSON.stringify(change));
      });
    },
    async reset() {
      cache.discard();
    },
    close: () => cache.close(),
  };
}

interface Cache {
  /** The database, as it lies at its path by now. */
  database(): Database;
  /** Goes on with a copy that nobody else sees. */
  copy(): Promise<void>;
  discard(): void;
  close(): void;
}

/** The file of the cache may be deleted at any moment: then another one takes its place. */
function createCache(path: string, isReadOnly: boolean): Cache {
  let open: { database: Database; place: string | undefined } | undefined;
  const placeOf = (): string | undefined => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && `${stat.dev}:${stat.ino}`;
  };
  const close = (): void => {
    open?.database.close();
    open = undefined;
  };
  const openAnew = (): { database: Database; place: string | undefined } => {
    // Where no cache can be kept, everything is added up in memory.
    if (isReadOnly && !(existsSync(path) ? isWritable(path) && isWritable(join(path, "..")) : false))
      return { database: openScratch(SCHEMA), place: undefined };
    try {
      return { database: openCache(path, SCHEMA), place: placeOf() };
    } catch (error) {
      if (!isReadOnly) throw error;
      return { database: openScratch(SCHEMA), place: undefined };
    }
  };
  return {
    database() {
      if (open?.place !== undefined && open.place !== placeOf()) close();
      open ??= openAnew();
      return open.database;
    },
    async copy() {
      if (open?.place === undefined) return;
      const folder = makeTemporaryFolder();
      const target = join(folder, basename(path));
      await copyDatabase(path, target);
      close();
      const database = openBare(target);
      // Without a log beside it, so that it can be written though it has no name any more.
      database.exec("PRAGMA journal_mode = MEMORY");
      open = { database, place: undefined };
      // The open file stays until it is closed, and nothing is left behind by a process that is killed.
      if (process.platform !== "win32") rmSync(folder, { recursive: true, force: true });
    },
    discard() {
      close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    },
    close,
  };
}

type Row = Record<string, unknown>;

function rows(database: Database, sql: string, ...values: (string | number)[]): Row[] {
  return prepared(database, sql).all(...values);
}

function texts(database: Database, sql: string, ...values: (string | number)[]): string[] {
  return rows(database, sql, ...values).map((row) => String(row["text"]));
}

function readPlace(database: Database, scope: string): { log: string; offset: number; sequence: number } | undefined {
  const [row] = rows(database, "SELECT log, offset, sequence FROM logs WHERE scope = ?", scope);
  return row && { log: String(row["log"]), offset: Number(row["offset"]), sequence: Number(row["sequence"]) };
}

/** Adds lines to the sums, unless another process was quicker. */
function foldLines(
  database: Database,
  scope: string,
  place: ReturnType<typeof readPlace>,
  { log, offset, lines, isContinued }: { log: string; offset: number; lines: readonly string[]; isContinued: boolean },
): void {
  transact(database, () => {
    const now = readPlace(database, scope);
    if (now?.log !== place?.log || now?.offset !== place?.offset) return;
    if (!isContinued) clearScope(database, scope);
    let sequence = isContinued ? (place?.sequence ?? 0) : 0;
    let damaged = 0;
    for (const line of lines) {
      sequence++;
      if (line.trim() !== "" && !foldLine(database, scope, sequence, line)) damaged++;
    }
    prepared(
      database,
      `INSERT INTO logs (scope, log, offset, sequence, damaged) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope) DO UPDATE
         SET log = excluded.log, offset = excluded.offset, sequence = excluded.sequence, damaged = damaged + excluded.damaged`,
    ).run(scope, log, offset, sequence, damaged);
  });
}

function headRows(found: readonly Row[]): ChangeHead[] {
  // Written by us a moment ago, out of what a schema has passed.
  return found.map((row): ChangeHead => JSON.parse(String(row["head"])));
}

function readChange(row: Row): Change {
  return Change.parse({ ...JSON.parse(String(row["line"])), text: null });
}

/** A change with the text that it left, whole. */
function withText(database: Database, row: Row): Change {
  const change = readChange(row);
  const [place] = rows(
    database,
    "SELECT file, sequence FROM changes WHERE number = ? AND file IS NOT NULL",
    Number(row["number"]),
  );
  if (place === undefined) return change;
  const [file, sequence] = [String(place["file"]), Number(place["sequence"])];
  const whole = textAt(database, change.scope, file, sequence) ?? "";
  const before = hashText(textAt(database, change.scope, file, sequence - 1) ?? "");
  return { ...change, text: { file, before, after: hashText(whole), whole } };
}

function selectHeads(
  database: Database,
  { scope, file, session, last = -1, after = 0, before = Number.MAX_SAFE_INTEGER }: ChangeQuery,
): ChangeHead[] {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, ...more: (string | number)[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  if (scope !== undefined) add("scope = ? AND sequence > ? AND sequence < ?", scope, after, before);
  if (file !== undefined) add("file = ?", file);
  if (session !== undefined) add("session = ?", session);
  const order = scope === undefined ? "ms DESC, sequence DESC" : "sequence DESC";
  const where = conditions.join(" AND ") || "true";
  return headRows(
    rows(database, `SELECT head FROM changes WHERE ${where} ORDER BY ${order} LIMIT ?`, ...values, last),
  ).toReversed();
}

/** The text of the newest change up to this one: the last whole one, and the differences since. */
function textAt(database: Database, scope: string, file: string, sequence: number): string | undefined {
  const found = rows(
    database,
    `SELECT patch, whole FROM changes WHERE scope = ? AND file = ? AND sequence <= ? AND sequence >=
     coalesce((SELECT max(sequence) FROM changes WHERE scope = ? AND file = ? AND sequence <= ? AND whole IS NOT NULL), 0)
     ORDER BY sequence`,
    scope,
    file,
    sequence,
    scope,
    file,
    sequence,
  );
  let text: string | undefined;
  for (const { patch, whole } of found)
    text = typeof whole === "string" ? whole : applyPatch(text ?? "", Patches.parse(JSON.parse(String(patch))));
  return text;
}

const Patches = z.array(z.tuple([z.number(), z.number(), z.string()]));

function selectFactChanges(
  database: Database,
  ids: readonly string[],
): Map<string, { added: string[]; removed: string[] }> {
  const found = rows(
    database,
    `SELECT changes.id, turns.kind, known.text FROM json_each(?) AS wanted
     CROSS JOIN changes ON changes.id = wanted.value CROSS JOIN turns ON turns.change = changes.number
     CROSS JOIN known ON known.id = turns.fact ORDER BY changes.number, turns.place`,
    JSON.stringify(ids),
  );
  const turns = new Map(ids.map((id) => [id, { added: [] as string[], removed: [] as string[] }]));
  for (const row of found)
    turns.get(String(row["id"]))?.[row["kind"] === "enter" ? "added" : "removed"].push(String(row["text"]));
  return turns;
}

const FactRow = z
  .object({
    text: z.string(),
    path: z
      .string()
      .nullable()
      .transform((json) => (json === null ? undefined : z.array(z.string()).parse(JSON.parse(json)))),
    change: z.string().nullable(),
    session: z.string().nullable(),
    message: z.string().nullable(),
    quote: z.string().nullable(),
    proof: Proof,
    origin: z.literal("untrusted").nullable(),
    added_at: z.string(),
    retired_at: z.string().nullable(),
    retired_by: z.string().nullable(),
    retired_reason: z.string().nullable(),
    replaced_by: z.string().nullable(),
  })
  .transform(({ added_at, retired_at, retired_by, retired_reason, replaced_by, ...fact }): FactRecord => ({
    ...fact,
    addedAt: added_at,
    retiredAt: retired_at,
    retiredBy: retired_by,
    retiredReason: retired_reason,
    replacedBy: replaced_by,
  }));

/** Whether a text of plain ASCII has all these letters in it; SQLite knows the case of no others, and lets them pass. */
function mayHold(pieces: readonly string[]): string {
  const all = pieces.map(() => "instr(lower(text), ?) > 0").join(" AND ") || "true";
  return `((${all}) OR octet_length(text) > length(text))`;
}

function account(database: Database, scope: string, file: string, standing: readonly string[]): Account {
  const words = JSON.stringify(standing);
  const count = (sql: string, ...values: string[]) =>
    Number(rows(database, `SELECT count(*) AS count FROM ${sql}`, ...values)[0]?.["count"]);
  const earlier = texts(database, EARLIER_WORDINGS, words, scope, scope, file);
  const moved = texts(
    database,
    `SELECT DISTINCT known.text FROM turns CROSS JOIN known ON known.id = turns.fact
     WHERE turns.kind = 'move' AND known.scope = ? AND known.file = ? AND known.entered IS NOT NULL`,
    scope,
    file,
  );
  const elsewhere = new Set([...standing, ...earlier]);
  return {
    entered: count("known WHERE scope = ? AND file = ? AND entered IS NOT NULL", scope, file),
    standing: count(`json_each(?) AS word WHERE ${hasEntered("word.value")}`, words, scope, file),
    reworded: earlier.length,
    moved: moved.filter((text) => !elsewhere.has(text)).length,
    lost: texts(
      database,
      `SELECT known.text FROM turns CROSS JOIN known ON known.id = turns.fact
       WHERE turns.is_explained = 0 AND known.scope = ? AND known.file = ? ORDER BY turns.change, turns.place`,
      scope,
      file,
    ),
  };
}

function hasEntered(text: string): string {
  return `EXISTS (SELECT 1 FROM known WHERE known.scope = ? AND known.file = ? AND known.text = ${text}
    AND known.entered IS NOT NULL)`;
}

// Backwards from what stands: of several that took a fact's place the newest counts.
const EARLIER_WORDINGS = `
  WITH RECURSIVE standing (text) AS (SELECT value FROM json_each(?)),
  earlier (text) AS (
    SELECT text FROM standing
    UNION
    SELECT facts.text FROM earlier CROSS JOIN facts ON facts.scope = ? AND facts.replaced_by = earlier.text
    WHERE facts.id = (SELECT max(newest.id) FROM facts AS newest WHERE newest.scope = facts.scope
      AND newest.text = facts.text AND newest.replaced_by IS NOT NULL)
  )
  SELECT text FROM earlier WHERE text NOT IN (SELECT text FROM standing) AND ${hasEntered("earlier.text")}`;

function selectWaiting(database: Database): WaitingHeld[] {
  const found = rows(
    database,
    `SELECT held.item, held.payload, changes.number, changes.head, changes.line FROM held
     JOIN changes ON changes.number = held.change WHERE held.decision IS NULL ORDER BY changes.ms, changes.sequence, held.rowid`,
  );
  const waiting: WaitingHeld[] = [];
  for (const [, same] of Map.groupBy(found, (row) => row["number"])) {
    const [first] = same;
    const [change] = first ? headRows([first]) : [];
    if (first === undefined || change === undefined) continue;
    const { held, entries } = readChange(first);
    const items = same.map((row) => readItem(row));
    waiting.push({
      change,
      reason: held?.reason ?? "",
      base: held?.base ?? null,
      entry: entries[0]?.entry ?? "",
      items,
    });
  }
  return waiting;
}

function readItem(row: Row): HeldItem {
  // Written by us a moment ago, out of what a schema has passed.
  const item: Omit<HeldItem, "id"> = JSON.parse(String(row["payload"]));
  return { id: String(row["item"]), ...item };
}

function selectDecided(database: Database): Decided[] {
  const found = rows(
    database,
    `SELECT decider.id, proposal.id AS proposal, held.verdict, held.item, held.payload FROM held
     JOIN changes AS decider ON decider.number = held.decision JOIN changes AS proposal ON proposal.number = held.change
     ORDER BY decider.ms DESC, decider.sequence DESC, held.rowid`,
  );
  const decided = Map.groupBy(found, (row) => `${String(row["id"])} ${String(row["proposal"])}`);
  return [...decided.values()].flatMap((same): Decided[] => {
    const [first] = same;
    if (first === undefined) return [];
    const verdict = first["verdict"] === "accept" ? "accept" : "reject";
    return [{ id: String(first["id"]), proposal: String(first["proposal"]), verdict, items: same.map(readItem) }];
  });
}
