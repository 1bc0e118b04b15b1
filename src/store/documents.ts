/** What is wrong with a link to nowhere. */
export const NO_TARGET = "it is a broken link";

/** A document, without having read it. */
export interface DocumentHead {
  /** From the workspace, with forward slashes. */
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: Date;
  /** Changes whenever the document does. */
  readonly stamp: string;
}

/** What may have changed: the memory files, what was said, or the records (runs, reviews, jobs, spend). */
export type Topic = "memory" | "talk" | "records";

/** The texts of a workspace, by their path: memory, notes, documents, skills, what steers the agent. */
export interface Documents {
  /** The text; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  readBytes(path: string): Promise<Buffer | undefined>;
  /** Puts a text in its place in one step. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  /** The documents in a folder, in no order; with `isDeep` those in the folders below it, too. */
  list(folder: string, options?: { isDeep?: boolean }): Promise<DocumentHead[]>;
  /** The names of the folders in a folder. */
  listFolders(folder: string): Promise<string[]>;
  /**
   * The path that a document really has, links followed; undefined where nothing is there. Refuses what leads out, and a
   * link to nowhere, which would be written through.
   */
  follow(path: string): Promise<string | undefined>;
  /** Tells of changes, whoever makes them, until it is stopped. */
  watch(onChange: (topics: Topic[]) => void): () => void;
}
