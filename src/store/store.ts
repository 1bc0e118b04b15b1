import type { MemoryFiles } from "../files/memory-files.ts";
import type { Search, SearchSetup } from "../search/search.ts";
import type { ChangeLogs } from "./changes.ts";
import type { Documents } from "./documents.ts";
import type { Forgetting } from "./forgetting.ts";
import type { Locks } from "./locks.ts";
import type { Queue } from "./queue.ts";
import type { SessionLogs } from "./session-logs.ts";

/** What a store needs of the world. */
export interface StoreSetting {
  timezone: string;
  /** The time as it is stored. */
  timestamp: () => string;
  newId: () => string;
  notice: (text: string) => void;
  /** It is opened to look only: nothing is made, or brought up to date. */
  readOnly?: boolean;
}

/** How the connections to a database are used. */
export interface Connections {
  open: number;
  /** Of those that are open. */
  idle: number;
  /** Those who wait for one. */
  waiting: number;
  most: number;
}

/** Where a workspace lies: everything that is kept, and the only way to it. Nothing above knows what stands behind. */
export interface Store {
  /** The folder in which the documents lie as files; undefined where they do not. */
  readonly folder?: string;
  /** What was said. */
  readonly logs: SessionLogs;
  /** How belief changed. */
  readonly changes: ChangeLogs;
  readonly queue: Queue;
  /** Where caches of this workspace may lie. */
  readonly cache: { readonly path: string; readonly isReadOnly?: boolean };
  readonly documents: Documents;
  readonly locks: Locks;
  readonly forgetting: Forgetting;
  /** The memory files of a scope. */
  memoryFiles(scope: string): MemoryFiles;
  /** The passages, behind search; nothing is read before the first question. */
  openSearch(setup: SearchSetup): Promise<Search>;
  /** What the index takes. */
  indexBytes(): Promise<number>;
  /**
   * Does something wholly or not at all, where the store can; one that cannot runs it as it is, and the journal finishes
   * what a crash leaves.
   */
  atomically<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** How the connections to it are used; undefined where it has none. */
  connections?(): Connections | undefined;
  /** Clears away what processes that are gone have left. */
  tidyUp(): Promise<void>;
  close(): Promise<void>;
}

/** A store that can be opened. */
export interface StoreSource {
  /** What people call it: a folder, or an address without what is secret. */
  readonly name: string;
  /** Reads a document before the store is open: its configuration decides how it is opened. */
  read?(path: string): Promise<string | undefined>;
  /** Whether anything was ever kept in it. */
  isThere?(): Promise<boolean>;
  open(setting: StoreSetting): Promise<Store>;
}
