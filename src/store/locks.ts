/** A lock that is held; `release` may be called more than once. */
export interface Lock {
  release(): void | Promise<void>;
}

/** Who took a lock last, for people, and whether that process stands still, as far as that can be known. */
export interface LockHolder {
  who: string;
  since: string;
  isStopped: boolean;
}

/** Locks by name. They hold across processes, and end with their owner. */
export interface Locks {
  /** Runs `work` while holding the lock; the signal ends the waiting, and not the work. */
  with<T>(name: string, work: () => Promise<T> | T, maxWaitMs?: number, signal?: AbortSignal): Promise<T>;
  /** Waits for the lock; whoever held it up is named in the error. */
  take(name: string, maxWaitMs: number, signal?: AbortSignal): Promise<Lock>;
  /** Who took a lock last; undefined where nobody knows, or where that process is gone. */
  holder(name: string): Promise<LockHolder | undefined>;
  /** Tells `listener` whenever something waits for a lock for most of a second; ends with what it returns. */
  onWait(listener: (text: string) => void): () => void;
  /** Makes known that something lives, until it is ended or its process dies. */
  live(name: string): Promise<Life>;
}

/** Something that lives, and knows who else does. */
export interface Life {
  isAlive(name: string): boolean | Promise<boolean>;
  end(): Promise<void>;
}
