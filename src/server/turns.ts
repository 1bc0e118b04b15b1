/** How a turn went: answered, left by its client in the middle, or neither. */
export type TurnOutcome = "answered" | "stopped" | "failed";

/** One turn that is under way. */
export interface Turn {
  outcome: TurnOutcome;
  /** Work of it that may go on after its client has left. */
  follow(work: Promise<unknown>): void;
  /** Its client has what it gets; it is over once the work of it is done. */
  end(): Promise<void>;
}

/** The turns of a server. */
export interface Turns {
  readonly isDraining: boolean;
  readonly underWay: number;
  /** Undefined when no new ones are taken. */
  begin(): Turn | undefined;
  /** Takes no new turns, and waits for those under way, so long at most; whether all of them ended. */
  drain(limitMs: number): Promise<boolean>;
}

/** Keeps count of the turns of a server, so that it can stop without breaking one off. */
export function createTurns(): Turns {
  const running = new Set<Turn>();
  let isDraining = false;
  let onEmpty: (() => void) | undefined;
  return {
    get isDraining() {
      return isDraining;
    },
    get underWay() {
      return running.size;
    },
    begin() {
      if (isDraining) return undefined;
      const following = new Set<Promise<unknown>>();
      const turn: Turn = {
        outcome: "failed",
        follow: (work) => void following.add(work),
        async end() {
          await Promise.allSettled(following);
          if (running.delete(turn) && running.size === 0) onEmpty?.();
        },
      };
      running.add(turn);
      return turn;
    },
    async drain(limitMs) {
      isDraining = true;
      if (running.size === 0) return true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), limitMs)));
      const empty = new Promise<boolean>((resolve) => (onEmpty = () => resolve(true)));
      const isOver = await Promise.race([empty, late]);
      clearTimeout(timer);
      return isOver;
    },
  };
}
