import type { Background } from "./background.ts";

/** What happens around the conversation: after a turn, before the context runs full, at the end, when nobody is there. */
export interface Upkeep extends Pick<Background, "noteAppend" | "consolidate"> {
  /** Starts on the jobs that are due, in the background. */
  wake(): void;
  /** Waits until the background work is done; failed jobs are tried again, up to `retries` times. */
  settle(retries?: number): Promise<void>;
  /** Lets what is under way end, for `waitMs`; then leaves it for the next start. */
  close(waitMs?: number): Promise<void>;
}

/** For who only looks: nothing happens. */
export const NO_UPKEEP: Upkeep = {
  noteAppend: () => undefined,
  consolidate: (session) => Promise.resolve({ kind: "nothing-due", session }),
  wake: () => undefined,
  settle: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
