import { z } from "zod";
import { OUTSIDE_HIT } from "../../change/origin.ts";
import { quoteLines } from "../../language/lines-in.ts";
import { DOUBTFUL } from "../../recall/doubtful.ts";
import type { Hit } from "../../recall/recall.ts";
import { showName } from "../../visible-text.ts";
import { cutToTokens, fitTokens } from "../fit-tokens.ts";
import { MORE_GATHERED, tellingHits } from "../telling-hits.ts";
import { createVerb } from "../verb.ts";
import type { VerbAnswer, VerbCall } from "../verb.ts";

const Input = z.object({
  query: z.string().min(1).describe("what to look for, in words or as a question"),
  limit: z.int().min(1).max(50).optional().describe("how many passages at most; 8 by default"),
  since: z.string().optional().describe("not before this day, YYYY-MM-DD"),
  until: z.string().optional().describe("not after this day, YYYY-MM-DD"),
  project: z.string().min(1).optional().describe("only this folder of docs/, or _memory"),
});
const LIMIT = 8;

/** Finds what is known from before. */
export const memorySearch = createVerb(
  {
    name: "memory_search",
    title: "Search memory",
    description:
      "Finds what is already known: facts, diary, notes, documents, and what was said in earlier conversations. Search before you say that you do not know.",
    input: Input,
    effect: "reads",
  },
  search,
);

/** The name by which earlier agents searched the documents of a project. */
export const vectorSearch = createVerb(
  {
    name: "vector_search",
    title: "Search documents",
    description: "Searches the documents of a project, docs/<project>/, by meaning and by words.",
    input: z.object({
      query: Input.shape.query,
      project: z.string().min(1).describe("the folder in docs/"),
      limit: Input.shape.limit,
    }),
    effect: "reads",
  },
  search,
);

async function search(
  { query, limit = LIMIT, ...request }: z.infer<typeof Input>,
  call: VerbCall,
): Promise<VerbAnswer> {
  const { memory, session, seen, maxTokens } = call;
  const gathered = limit + MORE_GATHERED;
  const answer = await memory.search(query, { ...request, key: session, limit: gathered });
  // What is in front of the reader already, its own question above all, tells it nothing.
  const isSeen = (hit: Hit) => hit.session === session && hit.messages.some((id) => seen?.has(id));
  const unseen = answer.results.filter((hit) => !isSeen(hit));
  const telling = tellingHits(query, unseen).slice(0, limit);
  const hits = await Promise.all(telling.map((hit) => cutHit(hit, maxTokens)));
  const { kept, leftOut } = await fitTokens(hits, maxTokens, renderHit);
  const remarks = [
    ...(kept.length > 0 && answer.confidence < DOUBTFUL ? ["these may not answer the question"] : []),
    ...(leftOut > 0 ? [`${leftOut} more did not fit; narrow the question`] : []),
    ...(answer.stale ? ["the index may be behind the files"] : []),
    ...answer.notes,
  ];
  const nothing = "Nothing on record matches that. Try other words, or say that there is nothing.";
  const blocks = kept.length === 0 ? [nothing] : kept.map((hit, index) => `${index + 1}. ${renderHit(hit)}`);
  const results = kept.map((hit) => ({
    source: placeOf(hit),
    date: hit.date,
    heading: hit.heading,
    text: hit.text,
    ...(isUntrusted(hit) ? { untrusted: true } : {}),
  }));
  const text = [...blocks, ...remarks.map((remark) => `[${remark}]`)].join("\n\n");
  return { text, value: results };
}

/** One passage must leave room for others. */
async function cutHit(hit: Hit, maxTokens: number): Promise<Hit> {
  const { text, isCut } = await cutToTokens(hit.text, Math.max(100, Math.floor(maxTokens / 4)));
  return isCut ? { ...hit, text: `${text}…` } : hit;
}

function renderHit(hit: Hit): string {
  const warning = isUntrusted(hit) ? OUTSIDE_HIT : "";
  const said = hit.session === "" ? "" : `said in ${hit.session}`;
  const date = (hit.date ?? "").slice(0, 16).replace("T", " ");
  const head = [placeOf(hit), said, date, hit.heading, warning].filter((part) => part !== "").join(" · ");
  return `${showName(head)}\n${quoteLines(hit.text.trim())}`;
}

function placeOf({ path, startLine, endLine }: Hit): string {
  return `${path}:${startLine}-${endLine}`;
}

function isUntrusted(hit: Hit): boolean {
  return "untrusted" in hit && hit.untrusted === true;
}
