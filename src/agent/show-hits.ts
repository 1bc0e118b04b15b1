import { OUTSIDE_HIT } from "../change/origin.ts";
import type { Memory } from "../memory.ts";

/** What a search found. */
export type Found = Awaited<ReturnType<Memory["search"]>>;

/** One of its hits. */
export type Hit = Found["results"][number];

const LONGEST_TEXT = 1200;

/** Hits as the model reads them: where from, when, and the words, set apart as data. */
export function showHits({ results, stale, notes }: Found): string {
  if (results.length === 0) return "Nothing on record matches. Try other words, or say that there is nothing.";
  const blocks = results.map((hit, index) => `${index + 1}. ${sourceOf(hit)}\n${quote(hit.text)}`);
  const remarks = [...(stale ? ["the index may lag behind the files"] : []), ...notes].map((note) => `[${note}]`);
  return [...blocks, ...remarks].join("\n\n");
}

/** Where a hit stands, in one line. */
export function sourceOf(hit: Hit): string {
  const lines = hit.startLine === hit.endLine ? `${hit.startLine}` : `${hit.startLine}-${hit.endLine}`;
  // Transcripts are not read by path: their session and the message say where it was said.
  const place = hit.session === "" ? `${hit.path}:${lines}` : `said in ${hit.session}`;
  const date = (hit.date ?? "").slice(0, 16).replace("T", " ");
  const warning = hit.untrusted ? OUTSIDE_HIT : "";
  return [place, date, hit.heading, warning].filter((part) => part !== "").join(" · ");
}

function quote(text: string): string {
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return shown
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
