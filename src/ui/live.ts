import type { Topic } from "../store/documents.ts";

type Listener = (topics: readonly Topic[]) => void;

const LOCK = "tidemark-events";
const EVERYTHING: readonly Topic[] = ["memory", "talk", "records"];
const listeners = new Set<Listener>();
const watchers = new Set<(isLive: boolean) => void>();
let isLive = true;

/** Tells of changes that anyone made to the memory, until the returned function is called. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells whether the stream of changes stands. */
export function onLive(watcher: (isLive: boolean) => void): () => void {
  watchers.add(watcher);
  watcher(isLive);
  return () => watchers.delete(watcher);
}

/** Tells of a change that this page made, without waiting for the server to notice. */
export function tellChange(topics: readonly Topic[] = EVERYTHING): void {
  for (const listener of listeners) listener(topics);
}

/** What tabs tell each other. */
type TabMessage = { kind: "change"; topics: unknown } | { kind: "live"; isLive: boolean } | { kind: "who leads?" };

/**
 * Listens to the server. A browser opens six connections to a host at most, and each stream holds one: of several tabs
 * one listens, and tells the others.
 */
export function listen(): void {
  const channel = new BroadcastChannel("tidemark");
  let isLeading = false;
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other end but our own tabs
  const tell = (message: TabMessage): void => channel.postMessage(message);
  channel.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === "change") tellChange(topicsIn(data.topics));
    if (data.kind === "live" && !isLeading) setLive(data.isLive);
    if (data.kind === "who leads?" && isLeading) tell({ kind: "live", isLive });
  });
  // Held for as long as the tab lives: the promise never ends.
  const lead = (isFirst: boolean): Promise<void> => {
    isLeading = true;
    const source = new EventSource("/api/events");
    let isFresh = isFirst;
    source.addEventListener("hello", () => {
      setLive(true);
      tell({ kind: "live", isLive: true });
      // What happened while nobody listened is not known.
      if (!isFresh) tell({ kind: "change", topics: EVERYTHING });
      if (!isFresh) tellChange();
      isFresh = false;
    });
    source.addEventListener("change", ({ data }) => {
      const topics = topicsIn(JSON.parse(String(data)));
      tellChange(topics);
      tell({ kind: "change", topics });
    });
    source.addEventListener("error", () => {
      setLive(false);
      tell({ kind: "live", isLive: false });
    });
    return new Promise(() => undefined);
  };
  // Only where the page is served safely (https, or the loopback) are there locks to agree by.
  if (!("locks" in navigator)) void lead(true);
  else {
    void navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
      if (lock) return lead(true);
      // Its turn comes when the tab that listens is closed; between the two, changes may have gone unheard.
      void navigator.locks.request(LOCK, () => lead(false));
      return undefined;
    });
  }
  tell({ kind: "who leads?" });
}

function topicsIn(value: unknown): Topic[] {
  return Array.isArray(value) ? EVERYTHING.filter((topic) => value.includes(topic)) : [];
}

function setLive(next: boolean): void {
  isLive = next;
  for (const watcher of watchers) watcher(next);
}
