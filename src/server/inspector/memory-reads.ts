import { basename } from "node:path";
import { MemoryError } from "../../errors.ts";
import { parseFacts } from "../../change/read-outline.ts";
import { wordsAfter } from "../../history/edit.ts";
import { HISTORY_FILE, MEMORY_FILE, memoryFolderOf } from "../../layout.ts";
import type { Memory } from "../../memory.ts";
import { completeSettings } from "../../recall/complete-settings.ts";
import { decodeKey, encodeKey } from "../../session/file-name.ts";
import { parseTimestamp } from "../../time.ts";
import { toChangeLine } from "./change-line.ts";
import { toFactPage } from "./fact-page.ts";
import { readStateLines } from "./state-lines.ts";
import { SCHEMAS } from "./schemas.ts";
import type { ResultOf } from "./schemas.ts";
import type { ChangeStory, WaitingItem } from "./change-shapes.ts";
import type { MemoryFile } from "./frame-shapes.ts";
import { findSaid } from "./talk-reads.ts";
import { findWrittenEntries } from "./written-entries.ts";

/** Every operation of the inspector that only looks at what is believed, and how it came to be. */
export const READS = {
  async facts(memory: Memory, query: unknown): Promise<ResultOf<"facts">> {
    const { memory: scope } = SCHEMAS.facts.query.parse(query);
    const key = await keyOfMemory(memory, scope);
    const text = await memory.readMemory(key);
    const stamp = await stampOf(memory, scope);
    const known = pages.get(memory)?.get(scope);
    if (known?.text === text && known.stamp === stamp) return known.page;
    const page = toFactPage(await memory.trust.blame(key));
    const kept = pages.get(memory) ?? new Map<string, KeptPage>();
    pages.set(memory, kept.set(scope, { text, stamp: await stampOf(memory, scope), page }));
    return page;
  },
  async story(memory: Memory, query: unknown): Promise<ResultOf<"story">> {
    const { memory: scope, fact, line } = SCHEMAS.story.query.parse(query);
    const key = await keyOfMemory(memory, scope);
    const stories = (await memory.trust.why(fact, key)).filter((each) => each.fact === fact);
    const story = stories.find((each) => each.line === line) ?? stories[0];
    if (story === undefined) throw new MemoryError("NOT_FOUND", "Memory has never held such a fact");
    const family = new Set([fact, ...story.replaced]);
    const earlier = (await Promise.all(story.replaced.map((each) => memory.trust.why(each, key)))).flat();
    const told = [story, ...earlier.filter((each) => each.fact !== fact)];
    // Words that mean one fact may mean another of the family as well.
    const found = told.flatMap((each) =>
      each.history.map(({ by: name, kind, change, at, author, cause }) => {
        return { kind, fact: each.fact, change, at, author, cause, name };
      }),
    );
    const events = new Map(found.map((event) => [`${event.change} ${event.kind} ${event.fact}`, event]));
    const order = await placesOf(memory, found);
    const { said, replaced, retired } = story;
    const at = parseTimestamp(said?.timestamp, timezoneOf(memory))?.toISOString() ?? null;
    return {
      fact,
      said: said && { role: said.role, name: said.name, text: said.text, at },
      replaced,
      retired,
      events: [...events.values()]
        .filter((event) => family.has(event.fact))
        .toSorted((one, other) => order(one) - order(other) || (one.kind === "left" ? -1 : 1)),
    };
  },
  async files(memory: Memory, query: unknown): Promise<ResultOf<"files">> {
    const folder = folderOf(SCHEMAS.files.query.parse(query).memory);
    const heads = await memory.store.documents.list(folder);
    const files = heads
      .map((head) => ({ ...head, file: basename(head.path) }))
      .filter(({ file }) => isMemoryFile(file))
      .map(({ file, size, modifiedAt }): MemoryFile => {
        const kind = file === MEMORY_FILE ? "memory" : file === HISTORY_FILE ? "history" : "note";
        return { file, kind, bytes: size, at: modifiedAt.toISOString() };
      });
    const order = ["memory", "history", "note"];
    return {
      files: files.toSorted(
        (one, other) => order.indexOf(one.kind) - order.indexOf(other.kind) || other.file.localeCompare(one.file),
      ),
    };
  },
  async file(memory: Memory, query: unknown): Promise<ResultOf<"file">> {
    const { memory: scope, file } = SCHEMAS.file.query.parse(query);
    if (!isMemoryFile(file)) throw new MemoryError("PATH_REFUSED", `${file} is not a memory file`);
    return { text: await readText(memory, `${folderOf(scope)}/${file}`) };
  },
  async states(memory: Memory, query: unknown): Promise<ResultOf<"states">> {
    const { memory: scope } = SCHEMAS.states.query.parse(query);
    return { states: await readStateLines(memory, scope, await keyOfMemory(memory, scope)) };
  },
  async state(memory: Memory, id: string): Promise<ResultOf<"state">> {
    const change = await memory.trust.find(id);
    const { text = "" } = (await memory.history.textsOf(change.id)) ?? {};
    const facts = parseFacts(text).map(({ text: fact, path }) => ({ fact, under: [...path] }));
    return { id: change.id, text, facts };
  },
  async changes(memory: Memory, query: unknown): Promise<ResultOf<"changes">> {
    const { limit, skip } = SCHEMAS.changes.query.parse(query);
    const entries = await memory.trust.log({ limit: skip + limit + 1 });
    const { prices } = memory.config.spend;
    return {
      changes: entries.slice(skip, skip + limit).map((entry) => toChangeLine(entry, prices)),
      isMore: entries.length > skip + limit,
    };
  },
  async change(memory: Memory, id: string): Promise<ChangeStory> {
    const { history, config } = memory;
    const change = await memory.trust.find(id);
    const [whole] = await history.at([change.id]);
    const texts = await history.textsOf(change.id);
    const records = await history.listFacts({ scope: change.scope, change: change.id });
    const facts = (await history.factChangesIn([change.id])).get(change.id) ?? { added: [], removed: [] };
    return {
      change: toChangeLine({ ...change, ...facts }, config.spend.prices),
      before: texts?.before ?? null,
      after: texts?.text ?? null,
      evidence: records.map(({ text, session, message, quote, proof, origin }) => {
        return { fact: text, session, message, quote, proof, isUntrusted: origin === "untrusted" };
      }),
      retired: (whole?.edits ?? []).flatMap((edit) => {
        if (edit.kind === "add") return [];
        const replacedBy = (edit.kind === "remove" ? edit.heir : wordsAfter(edit)) ?? null;
        return [{ fact: edit.text, reason: edit.reason, replacedBy }];
      }),
      entries: await writtenBy(memory, folderOf(change.scope), change.entries),
      answer: whole?.answer ?? null,
      isRejection: await isRejection(memory, change.id),
    };
  },
  async review(memory: Memory): Promise<ResultOf<"review">> {
    const items: WaitingItem[] = [];
    for (const { change, session, at, by, items: waiting } of await memory.review()) {
      for (const { id, heading, kind, fact, before = null, to = null, reason, source } of waiting) {
        const { message = null, quote = null, proof = "none", origin } = source ?? {};
        const told = source && { session: source.session, message, quote, proof, isUntrusted: origin === "untrusted" };
        const said = await findSaid(memory, source?.session ?? null, message);
        const item = { change, id, heading, kind, fact, before, to, reason, session, at, name: by };
        items.push({ ...item, source: told ?? null, said });
      }
    }
    return { items };
  },
  async explain(memory: Memory, query: unknown): Promise<ResultOf<"explain">> {
    const { q, limit, session, origin, vectorWeight, fusion, ...request } = SCHEMAS.explain.query.parse(query);
    const isFiltered = session !== undefined || origin !== undefined;
    const settings = { vectorWeight, textWeight: vectorWeight === undefined ? undefined : 1 - vectorWeight, fusion };
    const begun = performance.now();
    const found = await memory.search(q, { ...request, limit: isFiltered ? 1000 : limit, explain: true, settings });
    const ms = performance.now() - begun;
    const hits = found.results
      .filter((hit) => session === undefined || hit.session === session)
      .filter((hit) => origin === undefined || (hit.untrusted === true) === (origin === "outside"))
      .slice(0, limit)
      .map(({ explain, untrusted, messages, ...hit }) => ({
        ...hit,
        messages: [...messages],
        isUntrusted: untrusted === true,
        parts: explain ?? null,
      }));
    const { vectorMemory } = memory.config.tools;
    const used = completeSettings(vectorWeight === undefined ? vectorMemory : settings);
    const weights = { meaning: used.vectorWeight, words: used.textWeight };
    return { hits, mode: found.mode, isStale: found.stale, notes: [...found.notes], ms: Math.round(ms), weights };
  },
  async previewForget(memory: Memory, body: unknown): Promise<ResultOf<"previewForget">> {
    const preview = await memory.trust.forget(SCHEMAS.previewForget.body.parse(body), { isTrial: true });
    if (preview.kind !== "trial") throw new Error("a trial of a forget ended as more than that");
    return { finds: preview.finds, near: preview.near, counts: preview.counts };
  },
};

/** Whether a change rejected something in the review, which can still be taken back. */
async function isRejection(memory: Memory, change: string): Promise<boolean> {
  const decided = await memory.history.listDecided();
  return decided.some((each) => each.id === change && each.verdict === "reject");
}

/** Where the changes of events stand in their logs. */
async function placesOf(
  memory: Memory,
  events: readonly { change: string }[],
): Promise<(event: { change: string }) => number> {
  const ids = [...new Set(events.map(({ change }) => change))];
  const order = (await memory.history.at(ids)).map(({ id }) => id);
  return ({ change }) => order.indexOf(change);
}

interface KeptPage {
  text: string;
  stamp: string;
  page: ResultOf<"facts">;
}

// Every view that shows facts asks for them again at each change of anything; they seldom are other ones.
const pages = new WeakMap<Memory, Map<string, KeptPage>>();

/** Changes whenever the stories of facts may have. */
async function stampOf(memory: Memory, scope: string): Promise<string> {
  const latest = await memory.history.latest(scope, MEMORY_FILE);
  return `${await memory.history.factsVersion()} ${latest?.change.id}`;
}

/** A session whose memory this is; undefined for everyone's. */
export async function keyOfMemory(memory: Memory, scope: string): Promise<string | undefined> {
  if (scope === "") return undefined;
  const decoded = decodeKey(scope);
  if (decoded !== undefined) return decoded;
  // The names of long keys end in a hash: only a session itself can say what it stands for.
  const { sessions } = await memory.listSessions();
  const found = sessions.find(({ key }) =>
    [key, key.split(":").slice(0, 2).join(":")].some((each) => encodeKey(each) === scope),
  );
  if (found === undefined) throw new MemoryError("NOT_FOUND", `There is no memory named ${scope}`);
  return found.key;
}

/** The time zone in which the memory's days begin. */
function timezoneOf(memory: Memory): string {
  return memory.config.agents.defaults.timezone;
}

function folderOf(scope: string): string {
  if (!/^[\w%~-]*$/.test(scope)) throw new MemoryError("NOT_FOUND", `There is no memory named ${scope}`);
  return memoryFolderOf(scope);
}

function isMemoryFile(name: string): boolean {
  return /^[^./\\][^/\\]*\.md$/.test(name);
}

async function readText(memory: Memory, path: string): Promise<string> {
  const text = await memory.store.documents.read(path);
  if (text === undefined) throw new MemoryError("NOT_FOUND", "There is no such memory file");
  return text;
}

async function writtenBy(memory: Memory, folder: string, entries: readonly { file: string; hash: string }[]) {
  const byFile = Map.groupBy(entries, ({ file }) => file);
  const found: ChangeStory["entries"] = [];
  for (const [file, written] of byFile) {
    const text = isMemoryFile(file) ? await memory.store.documents.read(`${folder}/${file}`) : undefined;
    if (text === undefined) continue;
    const hashes = written.map(({ hash }) => hash);
    found.push(...findWrittenEntries(text, hashes).map((entry) => ({ file, text: entry })));
  }
  return found;
}
