import { factsOf } from "../change/edit-records.ts";
import { OUTSIDE_MARK } from "../change/origin.ts";
import type { State } from "../state/state.ts";

interface Findable {
  readonly text: string;
  readonly session: string;
  readonly messages: readonly string[];
}

/** Marks the hits that stand on what came from outside, so that no reader takes them for anyone's word. */
export async function markUntrusted<Hit extends Findable>(
  state: State,
  hits: readonly Hit[],
): Promise<(Hit & { untrusted?: true })[]> {
  const held = (await state.listHeld()).flatMap(({ items }) => items.map(({ edit }) => edit));
  const waiting = held.flatMap((edit) => (edit.kind === "add" || edit.kind === "replace" ? factsOf([edit]) : []));
  const facts = [...waiting, ...(await state.listUntrustedFacts())].filter(({ origin }) => origin === "untrusted");
  const texts = new Set(facts.map(({ text }) => text));
  const sources = new Set(
    facts.flatMap(({ session, message }) => (message === null ? [] : [`${session}\n${message}`])),
  );
  return hits.map((hit) => {
    const isMarked = hit.text.includes(OUTSIDE_MARK) || [...texts].some((text) => hit.text.includes(text));
    const isSource = hit.messages.some((message) => sources.has(`${hit.session}\n${message}`));
    return isMarked || isSource ? { ...hit, untrusted: true } : hit;
  });
}
