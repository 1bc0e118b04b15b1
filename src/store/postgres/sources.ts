import { ARCHIVE_FOLDER, SESSIONS_FOLDER } from "../../layout.ts";
import { isSearched } from "../../search/source-path.ts";
import { encodeKey } from "../../session/file-name.ts";
import type {
  Listing,
  SaidMessage,
  SharedVectors,
  SourceContent,
  SourceHead,
  Sources,
  SourcesOptions,
  WantedSource,
} from "../sources.ts";
import { textIn } from "./engine.ts";
import type { Row } from "./engine.ts";
import { toMessage } from "./log-view.ts";
import type { Query, Tenant } from "./tenant.ts";

/** A source, and where its rows are. */
interface RowHead extends SourceHead {
  /** Undefined for a document. */
  readonly log: Omit<WantedLog, "mark"> | undefined;
}

/** The rows of a workspace that are searched. */
export function createSources(tenant: Tenant, { sessions }: Pick<SourcesOptions, "sessions">): Sources {
  const heads = new Map<string, RowHead>();
  return {
    async look(seen) {
      const { state, forgettings } = await readState(tenant.query, sessions);
      if (state === seen) return { seen, forgettings, listing: undefined };
      const listed = await listHeads(tenant, sessions);
      heads.clear();
      for (const head of listed) heads.set(head.path, head);
      return { seen: state, forgettings, listing: listingOf(listed) };
    },
    read: (wanted) => tenant.read((ask) => readAll(ask, wanted, heads)),
    vectors: createSharedVectors(tenant),
    close: () => heads.clear(),
  };
}

/**
 * Changes whenever something that is searched does. Each change takes a number that none had before, but transactions may
 * end in another order: so all of them are added up. Times and sizes tell a database that was brought back from a backup.
 */
async function readState(ask: Query, sessions: boolean): Promise<{ state: string; forgettings: string }> {
  const [row] = await ask(
    `SELECT (SELECT concat_ws(' ', count(*), sum(version), sum(extract(epoch FROM modified_at)))
         FROM tidemark_documents WHERE workspace = $1) AS texts,
       (SELECT concat_ws(' ', count(*), sum(version), sum(bytes)) FROM tidemark_logs WHERE workspace = $1 AND $2) AS logs,
       (SELECT value FROM tidemark_counters WHERE workspace = $1 AND name = '${FORGETTINGS}') AS forgettings`,
    [sessions],
  );
  return { state: `${textIn(row, "texts")} ${textIn(row, "logs")}`, forgettings: textIn(row, "forgettings") || "0" };
}

const FORGETTINGS = "forgettings";

/** Counts a forgetting, so that every cache throws away what it read before, and drops the vectors that were paid for. */
export async function countForgetting(ask: Query): Promise<void> {
  await raiseForgettings(ask, 1);
  await ask("DELETE FROM tidemark_vectors WHERE workspace = $1");
}

/** How often something was forgotten; until the transaction ends nobody else can count on. */
async function raiseForgettings(ask: Query, by: number): Promise<string> {
  const [row] = await ask(
    `INSERT INTO tidemark_counters AS known (workspace, name, value) VALUES ($1, '${FORGETTINGS}', $2)
     ON CONFLICT (workspace, name) DO UPDATE SET value = known.value + excluded.value RETURNING value`,
    [by],
  );
  return textIn(row, "value");
}

async function listHeads({ query }: Tenant, sessions: boolean): Promise<RowHead[]> {
  const [documents, logs] = await Promise.all([
    query(
      `SELECT path, octet_length(content) AS size, version, extract(epoch FROM modified_at) AS at FROM tidemark_documents
       WHERE workspace = $1 AND ((path >= 'memory/' AND path < 'memory0') OR (path >= 'docs/' AND path < 'docs0'))`,
    ),
    sessions
      ? query("SELECT id, key, archive, version, bytes, rewritten FROM tidemark_logs WHERE workspace = $1")
      : Promise.resolve([]),
  ]);
  return [...documents.flatMap(toDocument), ...logs.map(toLog)];
}

function toDocument(row: Row): RowHead[] {
  const path = String(row["path"]);
  if (!isSearched(path) || path.split("/").some((name) => name.startsWith("."))) return [];
  const stamp = `${textIn(row, "version")}:${textIn(row, "at")}`;
  return [{ path, stamp, size: Number(row["size"]), log: undefined }];
}

function toLog(row: Row): RowHead {
  const key = String(row["key"]);
  const name = row["archive"] === null ? `${encodeKey(key)}.jsonl` : `${ARCHIVE_FOLDER}/${textIn(row, "archive")}`;
  return {
    path: `${SESSIONS_FOLDER}/${name}`,
    stamp: `${textIn(row, "version")}:${textIn(row, "bytes")}`,
    size: Number(row["bytes"]),
    log: { id: Number(row["id"]), rewritten: Number(row["rewritten"]), key },
  };
}

function listingOf(heads: readonly RowHead[]): Listing {
  return { heads, notes: [], mayBeThere: () => false };
}

/** Many sources by two questions. */
async function readAll(
  ask: Query,
  wanted: readonly WantedSource[],
  heads: ReadonlyMap<string, RowHead>,
): Promise<SourceContent[]> {
  const asked = wanted.map(({ head, known }) => ({ head, log: heads.get(head.path)?.log, known }));
  const [texts, logs] = await Promise.all([
    readDocuments(
      ask,
      asked.filter(({ log }) => log === undefined).map(({ head }) => head.path),
    ),
    readLogs(
      ask,
      asked.flatMap(({ log, known }) => (log ? [{ ...log, mark: known && readMark(known.mark) }] : [])),
    ),
  ]);
  return asked.map(({ head: { path, stamp }, log }) => {
    const read = log && logs.get(log.id);
    if (read) return { kind: "log", stamp, ...read };
    const bytes = texts.get(path);
    return bytes ? { kind: "document", stamp, mark: "", bytes } : { kind: "gone" };
  });
}

async function readDocuments(ask: Query, paths: readonly string[]): Promise<Map<string, Buffer>> {
  if (paths.length === 0) return new Map();
  const rows = await ask(
    "SELECT path, content FROM tidemark_documents WHERE workspace = $1 AND path = ANY ($2::text[])",
    [paths],
  );
  return new Map(
    rows.flatMap(({ path, content }) =>
      content instanceof Uint8Array
        ? [[String(path), Buffer.from(content.buffer, content.byteOffset, content.length)] as const]
        : [],
    ),
  );
}

/** How far a log was read, and the last message by then, by which that part is known again. */
interface LogMark {
  readonly id: number;
  readonly rewritten: number;
  readonly messages: number;
  readonly last: string;
}

function writeMark({ id, rewritten, messages, last }: LogMark): string {
  return `${id} ${rewritten} ${messages} ${last}`;
}

function readMark(mark: string): LogMark {
  const [id, rewritten, messages, ...last] = mark.split(" ");
  return { id: Number(id), rewritten: Number(rewritten), messages: Number(messages), last: last.join(" ") };
}

interface WantedLog {
  readonly id: number;
  readonly rewritten: number;
  readonly key: string;
  /** Undefined where it is to be read whole. */
  readonly mark: LogMark | undefined;
}

type LogContent = Omit<Extract<SourceContent, { kind: "log" }>, "kind" | "stamp">;

/** Reads on from the last known message, which must still be there; what is another log by now is read whole. */
async function readLogs(ask: Query, wanted: readonly WantedLog[]): Promise<Map<number, LogContent>> {
  if (wanted.length === 0) return new Map();
  const asked = wanted.map((log) => {
    const { id, rewritten, mark } = log;
    return { ...log, mark: mark?.id === id && mark.rewritten === rewritten && mark.last !== "" ? mark : undefined };
  });
  const rows = await ask(
    `SELECT w.log, m.ordinal, m.id, m.payload FROM unnest($2::bigint[], $3::integer[]) AS w (log, start)
     CROSS JOIN LATERAL (SELECT ordinal, id, payload FROM tidemark_messages
       WHERE workspace = $1 AND log = w.log AND ordinal >= w.start ORDER BY ordinal) AS m`,
    [asked.map(({ id }) => id), asked.map(({ mark }) => (mark ? mark.messages - 1 : 0))],
  );
  const byLog = Map.groupBy(rows, (row) => Number(row["log"]));
  const [contents, others] = [new Map<number, LogContent>(), new Array<WantedLog>()];
  for (const log of asked) {
    const found = byLog.get(log.id) ?? [];
    const isLonger = log.mark !== undefined && found[0]?.["id"] === log.mark.last;
    if (log.mark && !isLonger) others.push({ ...log, mark: undefined });
    else contents.set(log.id, toContent(log, isLonger ? found.slice(1) : found, isLonger));
  }
  for (const [id, content] of await readLogs(ask, others)) contents.set(id, content);
  return contents;
}

function toContent({ id, rewritten, key, mark }: WantedLog, rows: readonly Row[], isLonger: boolean): LogContent {
  const messages = rows.map((row): SaidMessage => {
    const ordinal = Number(row["ordinal"]);
    // The first line is the log's own.
    return { message: toMessage(row), ordinal, line: ordinal + 2 };
  });
  const last = messages.at(-1);
  const read = last ? { messages: last.ordinal + 1, last: last.message.id ?? "" } : { messages: 0, last: "" };
  return {
    mark: writeMark({ id, rewritten, ...(last || !mark ? read : mark) }),
    session: key,
    isLonger,
    messages,
  };
}

/** Vectors by the hashes of their texts, in hexadecimal. */
function createSharedVectors({ query, transact }: Tenant): SharedVectors {
  return {
    async find(embedder, hashes) {
      const rows = await query(
        `SELECT hash, vector FROM tidemark_vectors WHERE workspace = $1 AND embedder = $2 AND hash = ANY ($3::text[])`,
        [embedder, hashes],
      );
      return new Map(
        rows.flatMap(({ hash, vector }) => (vector instanceof Uint8Array ? [[String(hash), vector] as const] : [])),
      );
    },
    keep: (embedder, vectors, forgettings) =>
      transact(async (ask) => {
        // Whoever forgets something waits for this, or has left nothing to keep.
        if ((await raiseForgettings(ask, 0)) !== forgettings) return;
        await ask(
          `INSERT INTO tidemark_vectors (workspace, embedder, hash, vector)
           SELECT $1, $2, new.hash, decode(new.vector, 'hex') FROM unnest($3::text[], $4::text[]) AS new (hash, vector)
           ON CONFLICT DO NOTHING`,
          [embedder, [...vectors.keys()], [...vectors.values()].map((vector) => Buffer.from(vector).toString("hex"))],
        );
      }),
  };
}
