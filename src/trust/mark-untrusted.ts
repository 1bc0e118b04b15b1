import { isDocument, OUTSIDE_MARK } from "../change/origin.ts";
import type { Documents } from "../store/documents.ts";
import type { FreshOutside } from "./fresh-outside.ts";
import { wordsAfter } from "../history/edit.ts";
import type { History } from "../history/history.ts";

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
  { history, documents, isFresh }: { history: History; documents: Documents; isFresh: FreshOutside },
  hits: readonly Hit[],
): Promise<(Hit & { untrusted?: true })[]> {
  const [changes, untrusted, outside] = await Promise.all([
    history.listWaiting(),
    history.listUntrustedFacts(),
    history.findOutsideFiles(hits.map(({ path }) => path)),
  ]);
  const held = changes.flatMap(({ items }) => items.map(({ edit }) => edit));
  const waiting = held.flatMap((edit) => {
    const text = wordsAfter(edit);
    return text === undefined || !("source" in edit) || edit.source === null ? [] : [{ text, ...edit.source }];
  });
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
      (await history.hasOutsideMessage(hit.session, hit.messages)) ||
      (await isFresh(hit)) ||
      (await isPartOfMarked(documents, hit));
    marked.push(isOutside ? { ...hit, untrusted: true } : hit);
  }
  return marked;
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
