import { isSamePath, nameOf, readOutline } from "../change/read-outline.ts";
import type { Fact } from "../change/read-outline.ts";
import { MEMORY_FILE } from "../layout.ts";
import { wordsAfter } from "../history/edit.ts";
import type { FactRecord } from "../history/history.ts";
import { parseTimestamp } from "../time.ts";
import type { Workspace } from "../workspace.ts";
import { eraseText } from "./erase-text.ts";
import type { ForgetMatch } from "./forget-match.ts";
import type { GoneFacts, GonePlace } from "./is-gone-fact.ts";

/** What is known of a memory while it is looked for. */
interface Known {
  workspace: Workspace;
  scope: string;
  match: ForgetMatch;
  text: string;
  records: readonly FactRecord[];
}

/** Finds them in one memory: by what they stand under, by the session that told them, by the time of the change. */
export async function findGoneFacts(known: Known): Promise<GoneFacts> {
  const { match } = known;
  const found =
    match.kind === "session" ? bySession(known) : match.kind === "since" ? await byTime(known) : byPlace(known);
  const gone = new Map<string, GonePlace[]>();
  for (const { path, text, stay } of found.values()) gone.set(text, [...(gone.get(text) ?? []), { path, stay }]);
  return gone;
}

interface Gone extends GonePlace {
  text: string;
}

/** What the text loses besides what says it: a list that a label leads has no heading that tells. */
function byPlace({ workspace, scope, match, text, records }: Known): Map<string, Gone> {
  const { fact } = match;
  if (fact?.scope === scope) return new Map([["", { path: fact.under, text: fact.text, stay: 0 }]]);
  if (!match.mayCarry(text)) return new Map();
  const hints = { facts: new Map<string, []>(), entries: new Set<string>(), kind: "memory" as const };
  const left = readOutline(eraseText(text, match, { ...hints, timezone: workspace.timezone }).text).names;
  const lost = readOutline(text).facts.filter((fact) => {
    const isSaid = [...fact.path, fact.text].some((each) => match.hits(each));
    return !isSaid && fact.place >= (left.get(fact.name) ?? 0);
  });
  const gone = new Map<string, Gone>(
    lost.map(({ name, path, text: words }) => [name, { path, text: words, stay: left.get(name) ?? 0 }]),
  );
  // And the words that it took the place of there; those that are found here are gone through as well.
  for (const { path = [], text: words } of gone.values()) {
    for (const earlier of records.filter(({ replacedBy }) => replacedBy === words)) {
      const name = nameOf({ path, text: earlier.text });
      const isThere = earlier.path !== undefined && isSamePath(earlier.path, path);
      if (isThere && !gone.has(name)) gone.set(name, { path, text: earlier.text, stay: left.get(name) ?? 0 });
    }
  }
  return gone;
}

/** What this session told; a fact without a record, or with another session's, is someone else's. */
function bySession({ match, text, records }: Known): Map<string, Gone> {
  const { facts, names } = readOutline(text);
  const isTheirs = ({ session }: FactRecord) => session !== null && match.isSession(session);
  const isOthers = ({ session }: FactRecord) => session !== null && !match.isSession(session);
  const told = Map.groupBy(records, (record) => record.text);
  const gone = new Map<string, Gone>();
  for (const [words, about] of told) {
    if (!about.some(isTheirs)) continue;
    const standing = about.filter(({ retiredAt }) => retiredAt === null);
    const count = (list: readonly FactRecord[], name: string) =>
      list.filter(({ path }) => path !== undefined && nameOf({ path, text: words }) === name).length;
    const [theirs, others] = [standing.filter(isTheirs), standing.filter(isOthers)];
    for (const { path } of about.filter(isTheirs)) {
      if (path === undefined) continue;
      const name = nameOf({ path, text: words });
      const there = names.get(name) ?? 0;
      const stay = Math.max(there - count(theirs, name), Math.min(there, count(others, name)));
      gone.set(name, { path, text: words, stay });
    }
    // A heading was renamed since, or the fact moved: it stands where no record says so.
    const equals = facts.filter((fact) => fact.text === words);
    const strays = equals.filter(({ name }) => count(standing, name) === 0);
    const isMissing = ({ path }: FactRecord) => path === undefined || !names.has(nameOf({ path, text: words }));
    const missing = theirs.filter(isMissing).length;
    if (missing > 0 && strays.length <= missing && !others.some(isMissing))
      for (const { name, path } of strays) gone.set(name, { path, text: words, stay: 0 });
    // Older records do not say under which headings it was.
    const isOnly =
      others.length === 0 && equals.every(({ name, place }) => place >= (gone.get(name)?.stay ?? Infinity));
    if (isOnly && about.some((record) => isTheirs(record) && record.path === undefined))
      gone.set(words, { path: undefined, text: words, stay: 0 });
  }
  return gone;
}

/** What changes have brought since; what was there before stays, also if it came up again. */
async function byTime({ workspace, scope, match, text, records }: Known): Promise<Map<string, Gone>> {
  const { history, timezone } = workspace;
  const { names, facts } = readOutline(text);
  const came = new Map<string, Gone & { times: number }>();
  const older = new Set<string>();
  const olderWords = new Set<string>();
  const note = (words: string, path: readonly string[], isNew: boolean): void => {
    const name = nameOf({ path, text: words });
    if (isNew) came.set(name, { path, text: words, stay: 0, times: (came.get(name)?.times ?? 0) + 1 });
    else {
      older.add(name);
      olderWords.add(words);
    }
  };
  const heads = await history.list({ scope, file: MEMORY_FILE });
  for (const each of await history.at(heads.map(({ id }) => id))) {
    const isNew = match.isTime(parseTimestamp(each.at, timezone));
    for (const edit of each.edits) {
      const words = wordsAfter(edit);
      if (words !== undefined) note(words, edit.path, isNew);
      // What was brought since and put elsewhere since is no older for that.
      if (edit.kind === "move" && edit.to.file === MEMORY_FILE)
        note(edit.text, edit.to.path, isNew && came.has(nameOf(edit)) && !older.has(nameOf(edit)));
    }
  }
  for (const { text: words, path, addedAt } of records)
    if (
      path !== undefined &&
      match.isTime(parseTimestamp(addedAt, timezone)) &&
      !came.has(nameOf({ path, text: words }))
    )
      note(words, path, true);
  const equals = Map.groupBy(facts, (fact: Fact) => fact.text);
  for (const [name, each] of came) {
    const there = names.get(name) ?? 0;
    if (older.has(name)) each.stay = Math.max(1, there - each.times);
    // The only one in words that were there before is the same fact under another heading.
    else if (olderWords.has(each.text) && (equals.get(each.text)?.length ?? 0) <= 1) each.stay = Math.max(1, there);
  }
  return came;
}
