import { existsSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
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
import { hashText } from "./change.ts";
import { clearScope, foldLine, SCHEMA } from "./fold-change.ts";
import {
  account,
  FactRow,
  foldLines,
  headRows,
  mayHold,
  readChange,
  readPlace,
  rows,
  selectDecided,
  selectFactChanges,
  selectHeads,
  selectWaiting,
  textAt,
  texts,
  withText,
} from "./select.ts";
import { makePatch, WHOLE_EVERY } from "./text-patch.ts";

import type { History } from "./history.ts";

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
        const before = textIn(head);
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
        const [log] = rows(database, "SELECT carried FROM logs WHERE scope = ?", scope);
        const [newest] = rows(database, "SELECT max(sequence) AS sequence FROM changes WHERE scope = ?", scope);
        const isSure = log?.["carried"] !== null;
        // Whoever commits finishes what is there before: at most the last change can be unfinished where nobody noted it.
        const carried = isSure ? Number(log?.["carried"] ?? 0) : Number(newest?.["sequence"] ?? 0) - 1;
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

function textIn(row: Record<string, unknown> | undefined): string {
  const text = row?.["text"];
  return typeof text === "string" ? text : "";
}
