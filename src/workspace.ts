import type { Config } from "./config.ts";
import type { MemoryFiles } from "./files/memory-files.ts";
import type { Model } from "./model/model.ts";
import type { MemoryEvent } from "./outcome.ts";
import type { Documents } from "./store/documents.ts";
import type { Locks } from "./store/locks.ts";
import type { SessionLogs } from "./store/session-logs.ts";
import type { Store } from "./store/store.ts";
import type { History } from "./history/history.ts";
import type { ChangeLogs } from "./store/changes.ts";
import type { Queue } from "./store/queue.ts";
import type { Clock } from "./time.ts";

/** An open workspace: what every stage works with. Everything that could be otherwise comes in here. */
export interface Workspace {
  /** The folder, or what people call it otherwise. */
  readonly path: string;
  readonly store: Store;
  config: Config;
  now: Clock;
  timezone: string;
  newId: () => string;
  /** How belief changed: the log of each scope, and what they tell, added up. */
  changes: ChangeLogs;
  history: History;
  /** What waits to be done, and what was spent. */
  queue: Queue;
  logs: SessionLogs;
  documents: Documents;
  locks: Locks;
  /** The memory that a session writes to. */
  filesOf(session: string): MemoryFiles;
  filesOfScope(scope: string): MemoryFiles;
  /** The model that digests, if there is one. */
  model: Model | undefined;
  /** Tokens of the prompt besides the messages: rules, memory, tools. */
  fixedTokens(session: string): Promise<number>;
  /** What the provider last counted for this session's prompt. */
  reportedTokens(session: string): number;
  /** Masks what must not be written to memory. */
  clean(text: string): string;
  /** The lock of a session's runs. */
  runLock(session: string): string;
  /** Does something wholly or not at all, where the store can. */
  atomically<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>;
  emit(event: MemoryEvent): void;
}
