import { OUTSIDE_HIT } from "../change/origin.ts";
import { showName } from "../visible-text.ts";
import type { Memory } from "../memory.ts";

/** What a search found. */
export type Found = Awaited<ReturnType<Memory["search"]>>;

/** One of its hits. */
export type Hit = Found["results"][number];

/** Where a hit stands, in one line. */
export function sourceOf(hit: Hit): string {
  const lines = hit.startLine === hit.endLine ? `${hit.startLine}` : `${hit.startLine}-${hit.endLine}`;
  // Transcripts are not read by path: their session and the message say where it was said.
  const place = hit.session === "" ? `${hit.path}:${lines}` : `said in ${hit.session}`;
  const date = (hit.date ?? "").slice(0, 16).replace("T", " ");
  const warning = hit.untrusted ? OUTSIDE_HIT : "";
  return showName([place, date, hit.heading, warning].filter((part) => part !== "").join(" · "));
}
