import { z } from "zod";
import type { Message } from "../session/message.ts";
import type { LogHead } from "./session-logs.ts";

/** What of a log goes. */
export interface LogErasure {
  isMessage(message: Message): boolean;
  hits(text: string): boolean;
  /** A quick look whether a line can hold anything of it: false is certain. */
  mayTouch(line: string): boolean;
  /** Whether a line last written at this time goes with it. */
  isTime(at: string | undefined): boolean;
}

/** What went of a log, and the files beside the sessions that its messages name. */
export interface ErasedLog {
  messages: string[];
  lines: number;
  /** Named by messages that went, below `sessions/`. */
  named: string[];
  /** Named by messages that stay. */
  kept: string[];
}

/** A place where something was found that should be gone. */
const Remnant = z.object({ path: z.string(), encoding: z.string() });
export type Remnant = z.infer<typeof Remnant>;

/** What a scan looked at and what it found. */
export const Scan = z.object({
  files: z.number(),
  /** What a database is looked through by; it has no files of ours. */
  tables: z.number().optional(),
  bytes: z.number(),
  encodings: z.array(z.string()),
  found: z.array(Remnant),
});
export type Scan = z.infer<typeof Scan>;

/** What to look for; a name is only found as a word of its own, so that chat 12 is not found in chat 123. */
export const Wanted = z.object({ text: z.string(), isName: z.boolean() });
export type Wanted = z.infer<typeof Wanted>;

/** Taking something out for good, as far as the store reaches. Paths are from the workspace, with forward slashes. */
export interface Forgetting {
  /** What a forget does not reach. */
  readonly elsewhere: string;
  /** Everything below a folder, whatever its name. */
  list(folder: string): Promise<string[]>;
  read(path: string): Promise<Buffer | undefined>;
  /** Puts other bytes in the place of a document; what it held is overwritten. False if it says something else than `before`. */
  replace(path: string, content: string | Uint8Array, before?: Uint8Array): Promise<boolean>;
  /**
   * Takes what `text` does not have out of a document that someone may have open, who writes into the same one; false if
   * they just did.
   */
  overwrite(path: string, before: Uint8Array, text: string): Promise<boolean>;
  /** Removes a document; what it held is overwritten. False if it says something else than `before`. */
  remove(path: string, before?: Uint8Array): Promise<boolean>;
  removeFolder(path: string): Promise<void>;
  removeIfEmpty(folder: string): Promise<void>;
  /** Takes messages out of a log; a trial only tells. Undefined when the log is not there any more. */
  eraseLog(head: LogHead, erasure: LogErasure, isTrial: boolean): Promise<ErasedLog | undefined>;
  removeLog(head: LogHead): Promise<void>;
  /** Throws the caches away, and drops the names of these locks. */
  finish(names: { sessions: readonly string[]; scope: string | undefined }): Promise<void>;
  /** Looks at everything that the store holds. */
  scan(wanted: readonly Wanted[]): Promise<Scan>;
}
