import type { Waiting } from "../state/state.ts";

const CONTRADICTED = "contradicted: ";

/** Why a fact waits that words may speak against without saying so. */
export function contradictedBy(quote: string): string {
  return `${CONTRADICTED}“${quote}”`;
}

/** The facts of a memory that may no longer be so, each with the words that speak against it. */
export async function readDoubts(waiting: Pick<Waiting, "listHeld">, scope: string): Promise<Map<string, string>> {
  const held = (await waiting.listHeld()).filter((change) => change.scope === scope);
  const items = held.flatMap((change) => change.items);
  return new Map(
    items
      .filter(({ edit, reason }) => edit.kind === "remove" && reason.startsWith(CONTRADICTED))
      .map(({ edit, reason }) => [edit.text, reason]),
  );
}
