import { MEMORY_FILE } from "../layout.ts";
import { parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { findGoneFacts } from "./find-gone-facts.ts";
import type { ForgetMatch } from "./forget-match.ts";
import { isGoneFact } from "./is-gone-fact.ts";
import type { GoneFacts } from "./is-gone-fact.ts";

/** What goes because of where it comes from. */
export interface ErasedOrigins {
  /** By memory. */
  facts: Map<string, GoneFacts>;
  entries: Set<string>;
  /** Entries of which a part went: their changes go on knowing them, by what they are now. */
  rewritten: Map<string, string>;
  /** Messages that facts which go were drawn from: `session\nid`. */
  sources: Set<string>;
  /** Whether facts go because of what they stand under. */
  isUnder: boolean;
  /** Changes that go with their session or their time. */
  changes: Set<string>;
  /** The memory that goes whole, with the only session that wrote to it. */
  scope: string | undefined;
}

/** Finds what goes although it does not say what is forgotten. */
export async function findOrigins(workspace: Workspace, match: ForgetMatch): Promise<ErasedOrigins> {
  // A memory that only this session writes to goes with it.
  const { session: own } = match;
  const origins: ErasedOrigins = {
    facts: new Map(),
    entries: new Set(),
    rewritten: new Map(),
    sources: new Set(),
    isUnder: false,
    changes: new Set(),
    scope: own !== undefined && workspace.config.memory.scope === "session" ? workspace.filesOf(own).scope : undefined,
  };
  // Words and names say of no change that all of it goes.
  const isByOrigin = match.kind === "session" || match.kind === "since";
  for (const change of isByOrigin ? await workspace.history.list() : []) {
    const at = parseTimestamp(change.at, workspace.timezone);
    if (!match.isSession(change.session) && !match.isTime(at) && change.scope !== origins.scope) continue;
    origins.changes.add(change.id);
    for (const { hash } of change.entries) origins.entries.add(hash);
  }
  for (const scope of await workspace.history.scopes()) {
    const records = await workspace.history.listFacts({ scope });
    const text = await workspace.filesOfScope(scope).readText(MEMORY_FILE);
    const gone = await findGoneFacts({ workspace, scope, match, text, records });
    origins.facts.set(scope, gone);
    for (const record of records) {
      const { text: words, path = [], session, message } = record;
      const isUnder =
        path.some((above) => match.hits(above)) ||
        (!isByOrigin && isGoneFact(gone, { text: words, path, place: 0 }, "memory"));
      if (isUnder) origins.isUnder = true;
      if ((isUnder || match.hits(words)) && session !== null && message !== null)
        origins.sources.add(`${session}\n${message}`);
    }
  }
  return origins;
}
