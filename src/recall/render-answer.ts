import { showInvisible } from "../visible-text.ts";
import { parseQueryTerms, tokenise } from "../search/tokenise.ts";
import { DOUBTFUL } from "./doubtful.ts";
import type { Answer, Hit } from "./recall.ts";

const SNIPPET_CHARACTERS = 320;
const BOLD = "\u001b[1m";
const DIM = "\u001b[2m";
const RESET = "\u001b[0m";

/**
 * An answer for a person to read: where each hit stands, when it was, and the words around those of the question. The
 * same words in several places are one hit; where nothing is sure to answer, that comes first.
 */
export function renderAnswer({ results, confidence }: Answer, question: string, hasColour: boolean): string {
  if (results.length === 0) return "Nothing found.";
  const forms = new Set(parseQueryTerms(question).flatMap((term) => [...term.forms]));
  const groups = [...Map.groupBy(results, ({ text }) => sameWords(text)).values()];
  const hits = groups.map((group, index) => renderHit(group, index + 1, forms, hasColour));
  const sureness = `confidence ${confidence.toFixed(2)}`;
  if (confidence < DOUBTFUL)
    return [`Nothing on record is sure to answer this (${sureness}). The nearest:`, ...hits].join("\n\n");
  return [...hits, dim(`(${sureness})`, hasColour)].join("\n\n");
}

function sameWords(text: string): string {
  return text.toLowerCase().match(WORD)?.join(" ") ?? text;
}

function dim(text: string, hasColour: boolean): string {
  return hasColour && text !== "" ? `${DIM}${text}${RESET}` : text;
}

function placeOf({ path, startLine, endLine }: Hit): string {
  return `${showInvisible(path)}:${endLine > startLine ? `${startLine}-${endLine}` : startLine}`;
}

function renderHit(same: readonly Hit[], number: number, forms: ReadonlySet<string>, hasColour: boolean): string {
  const [hit, ...others] = same;
  if (hit === undefined) return "";
  const details = [
    hit.date?.replace("T", " ").slice(0, 16) ?? "",
    showInvisible(hit.heading),
    showInvisible(hit.speaker),
    same.some(({ untrusted }) => untrusted) ? "UNTRUSTED, from outside" : "",
    hit.score.toFixed(2),
    others.length > 0 ? `also ${others.map(placeOf).join(", ")}` : "",
  ];
  const head = `${number}. ${placeOf(hit)}  ${dim(details.filter((detail) => detail !== "").join("  "), hasColour)}`;
  const snippet = highlight(showInvisible(cutSnippet(hit.text, forms)), forms, hasColour);
  const lines = snippet.split("\n").filter((line) => line.trim() !== "");
  const explained = hit.explain ? [dim(explainLine(hit.explain), hasColour)] : [];
  return [head, ...lines.map((line) => `   ${line}`), ...explained].join("\n");
}

function explainLine(parts: NonNullable<Hit["explain"]>): string {
  const shown = Object.entries(parts).map(
    ([name, value]) => `${name} ${value === null ? "–" : Number(value).toFixed(2)}`,
  );
  return `   ${shown.join(" · ")}`;
}

/** The stretch of a long text with most of the question's words. */
function cutSnippet(text: string, forms: ReadonlySet<string>): string {
  if (text.length <= SNIPPET_CHARACTERS) return text;
  const places = [...text.matchAll(WORD)].filter(([word]) => isMatch(word, forms)).map((match) => match.index);
  let best = { start: 0, count: -1 };
  for (const place of [0, ...places]) {
    const start = Math.max(0, place - SNIPPET_CHARACTERS / 4);
    const count = places.filter((other) => other >= start && other < start + SNIPPET_CHARACTERS).length;
    if (count > best.count) best = { start, count };
  }
  const from = best.start === 0 ? 0 : text.indexOf(" ", best.start) + 1;
  const to = from + SNIPPET_CHARACTERS >= text.length ? text.length : text.lastIndexOf(" ", from + SNIPPET_CHARACTERS);
  const cut = text.slice(from, to > from ? to : from + SNIPPET_CHARACTERS);
  return `${from > 0 ? "… " : ""}${cut}${from + cut.length < text.length ? " …" : ""}`;
}

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

function highlight(text: string, forms: ReadonlySet<string>, hasColour: boolean): string {
  if (!hasColour) return text;
  return text.replace(WORD, (word) => (isMatch(word, forms) ? `${BOLD}${word}${RESET}` : word));
}

function isMatch(word: string, forms: ReadonlySet<string>): boolean {
  return tokenise(word).some((token) => forms.has(token));
}
