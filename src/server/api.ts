import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { Memory } from "../memory.ts";
import { appendNew } from "../door/append-new.ts";
import { remember, retire } from "../door/verbs/remember.ts";
import { readOverview } from "../door/overview.ts";
import { MORE_GATHERED, tellingHits } from "../door/telling-hits.ts";

/** One operation of the JSON API. The OpenAPI document is made from these. */
export interface Operation {
  method: "get" | "post" | "put" | "delete";
  /** With parameters in braces. */
  path: string;
  summary: string;
  /** It tells of everyone: a caller with a scope may not ask. */
  isForAll?: boolean;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** What it gives; any object when not said. */
  result?: z.ZodType;
  run(memory: Memory, input: OperationInput): Promise<unknown>;
}

/** What a request brings, not yet looked at. */
export interface OperationInput {
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
}

const count = (most: number) => z.coerce.number().int().min(1).max(most);
const Session = z.string().min(1).describe("a session's key, such as telegram:12345");

const SearchQuery = z.object({
  q: z.string().min(1).describe("what to look for"),
  limit: count(100).default(10),
  since: z.string().optional().describe("a day, month or year"),
  until: z.string().optional().describe("a day, month or year"),
  project: z.string().optional().describe("a folder of docs/, or _memory"),
  session: Session.optional().describe("only what this session may see"),
});
const MessagesQuery = z.object({ from: z.coerce.number().int().min(0).optional(), limit: count(1000).default(100) });
const MemoryQuery = z.object({ session: Session.optional() });
const LogQuery = z.object({ limit: count(1000).default(50), session: Session.optional() });
const NewMessages = z.object({
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["user", "assistant", "tool", "system"]),
        content: z.union([z.string(), z.array(z.unknown()), z.null()]),
        id: z.string().min(1).optional(),
      }),
    )
    .min(1)
    .max(1000),
});
const NewMemory = z.object({ text: z.string().describe("the whole new MEMORY.md") });
const NewFact = remember.input.extend({ session: Session.default("api:main") });
const OldFact = retire.input.extend({ session: Session.default("api:main") });
const OneSession = z.object({ session: Session.default("api:main") });

/** Every operation of the JSON API. */
export const OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/api/status",
    summary: "The state of the memory",
    run: (memory) => readOverview(memory),
  },
  {
    method: "get",
    path: "/api/search",
    summary: "Finds what was said and noted, by words and by meaning",
    query: SearchQuery,
    async run(memory, { query }) {
      const { q, session, limit, ...request } = SearchQuery.parse(query);
      const more = { ...request, limit: limit + MORE_GATHERED, ...(session === undefined ? {} : { key: session }) };
      const answer = await memory.search(q, more);
      return { ...answer, results: tellingHits(q, answer.results).slice(0, limit) };
    },
  },
  {
    method: "get",
    path: "/api/sessions",
    summary: "Every session, newest first",
    run: (memory) => memory.listSessions(),
  },
  {
    method: "get",
    path: "/api/sessions/{key}",
    summary: "What was said in a session; the newest messages when `from` is not given",
    query: MessagesQuery,
    async run(memory, { params, query }) {
      const session = await knownSession(memory, params["key"] ?? "");
      const { limit, from = Math.max(0, session.length - limit) } = MessagesQuery.parse(query);
      const { key, createdAt, updatedAt, cursor, length, metadata } = session;
      const messages = session.messages(from).slice(0, limit);
      return { key, createdAt, updatedAt, cursor, length, metadata, from, messages };
    },
  },
  {
    method: "post",
    path: "/api/sessions/{key}/messages",
    summary: "Stores messages; those whose id is already known are skipped",
    body: NewMessages,
    async run(memory, { params, body }) {
      return appendNew(memory, params["key"] ?? "", NewMessages.parse(body).messages);
    },
  },
  {
    method: "post",
    path: "/api/sessions/{key}/new",
    summary: "Ends a session and starts a fresh one; its digest follows in the background",
    async run(memory, { params }) {
      const { key } = await knownSession(memory, params["key"] ?? "");
      const { archive } = await memory.startNew(key);
      return { key, archive: archive ?? null };
    },
  },
  {
    method: "get",
    path: "/api/memory",
    summary: "MEMORY.md, whole and as facts",
    query: MemoryQuery,
    async run(memory, { query }) {
      const text = await memory.readMemory(MemoryQuery.parse(query).session);
      return { text, facts: parseFacts(text).map(({ text: fact, path }) => ({ fact, under: path })) };
    },
  },
  {
    method: "put",
    path: "/api/memory",
    summary: "Replaces the text of MEMORY.md; the old one stays in the log of changes",
    query: MemoryQuery,
    body: NewMemory,
    async run(memory, { query, body }) {
      await memory.replaceMemory(NewMemory.parse(body).text, MemoryQuery.parse(query).session);
      return { replaced: true };
    },
  },
  {
    method: "post",
    path: "/api/memory/facts",
    summary: "Adds a fact to MEMORY.md right away",
    body: NewFact,
    run(memory, { body }) {
      const { session, ...fact } = NewFact.parse(body);
      return memory.remember(session, { ...fact, by: "api" });
    },
  },
  {
    method: "delete",
    path: "/api/memory/facts",
    summary: "Takes a fact out of MEMORY.md; what was said stays",
    body: OldFact,
    run(memory, { body }) {
      const { session, fact } = OldFact.parse(body);
      return memory.retire(session, fact, "api");
    },
  },
  {
    method: "post",
    path: "/api/memory/undo",
    summary: "Reverts the newest change to MEMORY.md",
    body: OneSession,
    run: (memory, { body }) => memory.undo({ key: OneSession.parse(body).session, by: "api" }),
  },
  {
    method: "get",
    path: "/api/log",
    summary: "What changed memory, newest first",
    query: LogQuery,
    async run(memory, { query }) {
      const { limit, session } = LogQuery.parse(query);
      return { changes: (await memory.history.list({ last: limit, session })).toReversed() };
    },
  },
];

async function knownSession(memory: Memory, key: string) {
  if (key.trim() === "" || !(await memory.hasSession(key)))
    throw new MemoryError("NOT_FOUND", `There is no session ${key}`);
  return memory.session(key);
}
