import { showInvisible } from "../visible-text.ts";
import { parseQueryTerms, tokenise } from "../search/tokenise.ts";
import type { Answer, Hit } from "./recall.ts";

const SNIPPET_CHARACTERS = 320;
const BOLD = "\u001b[1m";
const DIM = "\u001b[2m";
const RESET = "\u001b[0m";

/** An answer for a person to read: where each hit stands, when it was, and the words around those of the question. */
export function renderAnswer(answer: Answer, question: string, hasColour: boolean): string {
  if (answer.results.length === 0) return "Nothing found.";
  const forms = new Set(parseQueryTerms(question).flatMap((term) => [...term.forms]));
  return answer.results.map((hit, index) => renderHit(hit, index + 1, forms, hasColour)).join("\n\n");
}

function renderHit(hit: Hit, number: number, forms: ReadonlySet<string>, hasColour: boolean): string {
  const dim = (text: string) => (hasColour && text !== "" ? `${DIM}${text}${RESET}` : text);
  const place = hit.endLine > hit.startLine ? `${hit.startLine}-${hit.endLine}` : String(hit.startLine);
  const details = [
    hit.date?.replace("T", " ").slice(0, 16) ?? "",
    showInvisible(hit.heading),
    showInvisible(hit.speaker),
    hit.untrusted ? "UNTRUSTED, from outside" : "",
    hit.score.toFixed(2),
  ];
  const head = `${number}. ${showInvisible(hit.path)}:${place}  ${dim(details.filter((detail) => detail !== "").join("  "))}`;
  const snippet = highlight(showInvisible(cutSnippet(hit.text, forms)), forms, hasColour);
  const lines = snippet.split("\n").filter((line) => line.trim() !== "");
  return [head, ...lines.map((line) => `   ${line}`), ...(hit.explain ? [dim(explainLine(hit.explain))] : [])].join(
    "\n",
  );
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
