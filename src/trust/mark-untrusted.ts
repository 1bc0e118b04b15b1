import { isDocument, OUTSIDE_MARK } from "../change/origin.ts";
import type { Documents } from "../store/documents.ts";
import type { FreshOutside } from "./fresh-outside.ts";
import type { Edit } from "../state/edit.ts";
import type { SourcedFact, State } from "../state/state.ts";

interface Findable {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  readonly session: string;
  readonly messages: readonly string[];
}

/** Marks the hits that stand on what came from outside, so that no reader takes them for anyone's word. */
export async function markUntrusted<Hit extends Findable>(
  { state, documents, isFresh }: { state: State; documents: Documents; isFresh: FreshOutside },
  hits: readonly Hit[],
): Promise<(Hit & { untrusted?: true })[]> {
  const [runs, untrusted, outside] = await Promise.all([
    state.listHeld(),
    state.listUntrustedFacts(),
    state.findOutsideFiles(hits.map(({ path }) => path)),
  ]);
  const held = runs.flatMap(({ items }) => items.map(({ edit }) => edit));
  const waiting = held.length > 0 ? await factsOfHeld(held) : [];
  const facts = [...waiting, ...untrusted].filter(({ origin }) => origin === "untrusted");
  const texts = new Set(facts.map(({ text }) => text));
  const sources = new Set(
    facts.flatMap(({ session, message }) => (message === null ? [] : [`${session}\n${message}`])),
  );
  const files = new Set(outside.map(({ path }) => path));
  const marked: (Hit & { untrusted?: true })[] = [];
  for (const hit of hits) {
    const isOutside =
      isDocument(hit.path) ||
      files.has(hit.path) ||
      hit.text.includes(OUTSIDE_MARK) ||
      [...texts].some((text) => hit.text.includes(text)) ||
      hit.messages.some((message) => sources.has(`${hit.session}\n${message}`)) ||
      (await state.hasOutsideMessage(hit.session, hit.messages)) ||
      (await isFresh(hit)) ||
      (await isPartOfMarked(documents, hit));
    marked.push(isOutside ? { ...hit, untrusted: true } : hit);
  }
  return marked;
}

/** Nearly always nothing waits: then what reads facts need not be loaded for a question. */
async function factsOfHeld(held: readonly Edit[]): Promise<SourcedFact[]> {
  const { factsOf } = await import("../change/edit-records.ts");
  return held.flatMap((edit) => (edit.kind === "add" || edit.kind === "replace" ? factsOf([edit]) : []));
}

/** A long entry is found in parts, and its mark stands at its end. */
async function isPartOfMarked(documents: Documents, { path, startLine, session }: Findable): Promise<boolean> {
  if (session !== "" || !path.startsWith("memory/")) return false;
  const lines = ((await documents.read(path)) ?? "").split("\n");
  const isItem = /^\s*[-*+] /.test(lines[startLine - 1] ?? "");
  const rest = lines.slice(startLine - 1);
  const end = rest.findIndex((line, index) => line.trim() === "" || (isItem && index > 0 && /^\s*[-*+] /.test(line)));
  return rest.slice(0, end === -1 ? undefined : end).some((line) => line.includes(OUTSIDE_MARK));
}
