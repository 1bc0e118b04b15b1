import type { Message } from "../session/message.ts";

/** Something that is searched, a document or a session's log, without having read it. */
export interface SourceHead {
  /** From the workspace, with forward slashes. */
  readonly path: string;
  /** Changes whenever the source does. */
  readonly stamp: string;
  readonly size: number;
}

/** What is kept of a source that was read before. */
export interface KnownSource {
  readonly stamp: string;
  /** What the store gave with its content: how far it was read, and by what it is known again. */
  readonly mark: string;
  readonly session: string;
}

/** A source that is to be read, or what was added to it since it was last read. */
export interface WantedSource {
  readonly head: SourceHead;
  readonly known: KnownSource | undefined;
}

/** A message and its place in its log. */
export interface SaidMessage {
  readonly message: Message;
  readonly ordinal: number;
  /** Counted from 1. */
  readonly line: number;
}

/** What a source holds; only its stamp may have changed. */
export type SourceContent =
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "same"; readonly stamp: string }
  | { readonly kind: "document"; readonly stamp: string; readonly mark: string; readonly bytes: Buffer }
  | {
      readonly kind: "log";
      readonly stamp: string;
      readonly mark: string;
      readonly session: string;
      /** Whether these messages come after those that were read before. */
      readonly isLonger: boolean;
      readonly messages: readonly SaidMessage[];
    };

/** Everything that is searched, at one moment. */
export interface Listing {
  /** May be gone through more than once. */
  readonly heads: Iterable<SourceHead>;
  /** What is to be told about the listing; complete once the heads were gone through. */
  readonly notes: readonly string[];
  /** Whether something that was not listed may still be there. */
  mayBeThere(path: string): boolean;
}

/** One look at the sources. */
export interface Look {
  /** Stands for what there was; the next look is handed it once all of it was taken in. */
  readonly seen: string | undefined;
  /** Changes with each forgetting that does not remove the cache itself: what was read before it is thrown away. */
  readonly forgettings: string;
  /** Undefined where nothing has changed since what was seen. */
  readonly listing: Listing | undefined;
}

/** Vectors that were paid for, by the hash of their text, for every cache of the workspace. */
export interface SharedVectors {
  find(embedder: string, hashes: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** Keeps vectors of texts that were read when there were so many forgettings; a later one leaves nothing of them. */
  keep(embedder: string, vectors: ReadonlyMap<string, Uint8Array>, forgettings: string): Promise<void>;
}

/** What a search is fed by. */
export interface Sources {
  look(seen?: string): Promise<Look>;
  /** In the order asked for. */
  read(wanted: readonly WantedSource[]): Promise<SourceContent[]>;
  /** Undefined where there is one cache, which keeps them. */
  readonly vectors?: SharedVectors;
  close(): void;
}

/** How sources are looked at. */
export interface SourcesOptions {
  /** Whether what was said is searched, too. */
  readonly sessions: boolean;
  /** Whether the process stays, so that it pays to watch for changes. */
  readonly isWatched: boolean;
}
