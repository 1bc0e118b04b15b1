import type { History } from "../history/history.ts";

const CONTRADICTED = "contradicted: ";

/** Why a fact waits that words may speak against without saying so. */
export function contradictedBy(quote: string): string {
  return `${CONTRADICTED}“${quote}”`;
}

/** The facts of a memory that may no longer be so, each with the words that speak against it. */
export async function readDoubts(history: Pick<History, "listWaiting">, scope: string): Promise<Map<string, string>> {
  const held = (await history.listWaiting()).filter(({ change }) => change.scope === scope);
  const items = held.flatMap(({ items }) => items);
  return new Map(
    items
      .filter(({ edit, reason }) => edit.kind === "remove" && reason.startsWith(CONTRADICTED))
      .map(({ edit, reason }) => [edit.text, reason]),
  );
}
