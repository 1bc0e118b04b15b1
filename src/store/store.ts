import type { MemoryFiles } from "../files/memory-files.ts";
import type { ChangeLogs } from "./changes.ts";
import type { Documents } from "./documents.ts";
import type { Forgetting } from "./forgetting.ts";
import type { Locks } from "./locks.ts";
import type { Queue } from "./queue.ts";
import type { SessionLogs } from "./session-logs.ts";
import type { Sources, SourcesOptions } from "./sources.ts";

/** What a store needs of the world. */
export interface StoreSetting {
  timezone: string;
  /** The time as it is stored. */
  timestamp: () => string;
  newId: () => string;
  notice: (text: string) => void;
  /** Where a store that is no folder keeps its caches on this machine; without it, in a temporary folder. */
  cache?: CacheSetting;
  /** It is opened to look only: nothing is made, or brought up to date. */
  readOnly?: boolean;
}

/** The folder of caches, a file a workspace, and what they may take before those that were not used lately go. */
export interface CacheSetting {
  folder: string;
  maxFiles: number;
  maxMegabytes: number;
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
  readonly documents: Documents;
  readonly locks: Locks;
  readonly forgetting: Forgetting;
  /** The memory files of a scope. */
  memoryFiles(scope: string): MemoryFiles;
  /** What search is fed by. */
  openSources(options: SourcesOptions): Sources;
  /** The file for what can be made again from the rest: what the logs tell, or the index. It may be deleted at any moment. */
  cachePath(what: "history" | "index"): string;
  /**
   * Does something wholly or not at all, where the store can; one that cannot runs it as it is, and the tail of the log finishes
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
