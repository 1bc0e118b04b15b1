import { z } from "zod";
import { Doctor, Health } from "./health-shapes.ts";
import { ForgetPreview, ForgetReceipt, ForgetWhat } from "./forget-shapes.ts";
import type { RouteName } from "./routes.ts";
import { ChangeLine, ChangeStory, StateLine, Undone, WaitingItem } from "./change-shapes.ts";
import { FactChanged, FactPage, FactStory } from "./fact-shapes.ts";
import { MemoryFile, PageFrame } from "./frame-shapes.ts";
import { Explained } from "./hit-shapes.ts";
import { SessionLine, Transcript } from "./talk-shapes.ts";

const count = (most: number) => z.coerce.number().int().min(1).max(most);
const MemoryName = z.string().default("").describe("whose memory, by its scope; everyone's by default");

/** A fact is its words under its headings, and its place among equals. */
const WhichFact = z.object({
  memory: MemoryName,
  fact: z.string().min(1).describe("the fact as it was shown"),
  under: z.array(z.string()).optional().describe("the headings above it; without them, its words must be enough"),
  place: z.number().int().min(0).default(0).describe("how many equal facts under the same headings come before it"),
});

/** What each operation takes and gives; the OpenAPI document and the page's types are made from these. */
export const SCHEMAS = {
  page: { result: PageFrame },
  facts: { query: z.object({ memory: MemoryName }), result: FactPage },
  story: {
    query: z.object({
      memory: MemoryName,
      fact: z.string().min(1),
      line: count(1e9)
        .optional()
        .describe("of MEMORY.md: which of several equal facts is meant; the first when missing"),
    }),
    result: FactStory,
  },
  addFact: {
    body: z.object({ memory: MemoryName, fact: z.string().trim().min(1), heading: z.string().optional() }),
    result: FactChanged,
  },
  editFact: {
    body: WhichFact.extend({
      words: z.string().trim().min(1).describe("the fact as it should be said"),
    }),
    result: FactChanged,
  },
  retireFact: { body: WhichFact, result: FactChanged },
  files: { query: z.object({ memory: MemoryName }), result: z.object({ files: z.array(MemoryFile) }) },
  file: { query: z.object({ memory: MemoryName, file: z.string().min(1) }), result: z.object({ text: z.string() }) },
  states: { query: z.object({ memory: MemoryName }), result: z.object({ states: z.array(StateLine) }) },
  state: {
    result: z.object({
      id: z.string(),
      text: z.string(),
      facts: z.array(z.object({ fact: z.string(), under: z.array(z.string()) })),
    }),
  },
  restore: {
    body: z.object({}),
    result: z.object({ kind: z.enum(["restored", "nothing"]), undo: z.string().nullable() }),
  },
  changes: {
    query: z.object({ limit: count(1000).default(100), skip: z.coerce.number().int().min(0).default(0) }),
    result: z.object({ changes: z.array(ChangeLine), isMore: z.boolean() }),
  },
  change: { result: ChangeStory },
  undo: {
    body: z.object({ id: z.string().min(1), partial: z.boolean().default(false) }),
    result: Undone,
  },
  review: { result: z.object({ items: z.array(WaitingItem) }) },
  decide: {
    body: z.object({
      verdict: z.enum(["accept", "reject"]),
      item: z.string().min(1).describe("its id, as it was listed"),
      words: z.string().trim().min(1).optional(),
    }),
    result: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("done"), left: z.number(), undo: z.string().nullable() }),
      z.object({ kind: z.literal("refused"), reason: z.string() }),
      z.object({ kind: z.literal("gone") }),
    ]),
  },
  talk: { result: z.object({ sessions: z.array(SessionLine), unreadable: z.array(z.string()) }) },
  transcript: {
    query: z.object({
      session: z.string().min(1),
      archive: z.string().optional(),
      from: z.coerce.number().int().min(0).optional(),
      limit: count(500).default(200),
      around: z.string().optional().describe("a message's id: the page that contains it"),
    }),
    result: Transcript,
  },
  explain: {
    query: z.object({
      q: z.string().min(1),
      limit: count(100).default(20),
      since: z.string().optional(),
      until: z.string().optional(),
      project: z.string().optional(),
      session: z.string().optional().describe("only what was said there"),
      origin: z.enum(["trusted", "outside"]).optional(),
      vectorWeight: z.coerce.number().min(0).max(1).optional(),
      fusion: z.enum(["weighted", "rrf"]).optional(),
    }),
    result: Explained,
  },
  previewForget: { body: ForgetWhat, result: ForgetPreview },
  forget: {
    body: ForgetWhat.extend({ confirm: z.literal("forget").describe("typed by a person") }),
    result: ForgetReceipt,
  },
  health: { result: Health },
  doctor: { result: Doctor },
  enter: { body: z.object({ token: z.string() }), result: z.object({ entered: z.boolean() }) },
} as const satisfies Record<RouteName, { query?: z.ZodObject; body?: z.ZodObject; result: z.ZodType }>;

type Schemas = typeof SCHEMAS;
/** What an operation gives. */
export type ResultOf<Name extends RouteName> = z.output<Schemas[Name]["result"]>;
type InputOf<Name extends RouteName, Part extends "query" | "body"> =
  Schemas[Name] extends Record<Part, infer Schema> ? (Schema extends z.ZodType ? z.input<Schema> : never) : undefined;
/** What may be asked of an operation. */
export type QueryOf<Name extends RouteName> = InputOf<Name, "query">;
export type BodyOf<Name extends RouteName> = InputOf<Name, "body">;
