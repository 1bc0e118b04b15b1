import type { Config } from "./config.ts";
import type { MemoryFiles } from "./files/memory-files.ts";
import type { Model } from "./model/model.ts";
import type { MemoryEvent } from "./outcome.ts";
import type { SessionLog } from "./session/log.ts";
import type { SessionFolder } from "./session/sessions.ts";
import type { State } from "./state/state.ts";
import type { Clock } from "./time.ts";

/** An open workspace: what every stage works with. Everything that could be otherwise comes in here. */
export interface Workspace {
  /** The folder. */
  readonly path: string;
  config: Config;
  now: Clock;
  timezone: string;
  newId: () => string;
  state: State;
  sessions: SessionFolder;
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
  /** The run lock of a session. */
  runLockPath(session: string): string;
  /** The log that was begun with this identity: the present one, or one that /new moved away. */
  findLog(session: string, identity: string): Promise<SessionLog | undefined>;
  emit(event: MemoryEvent): void;
}
