/** Whether something that we stand on can be reached. */
export interface Reach {
  isReached(): Promise<boolean>;
}

const LIMIT_MS = 2000;
const FRESH_MS = 1000;

/**
 * Looks whether something answers in time. Anyone may ask as often as they like: there is one look at a time, and what
 * it found holds for a moment.
 */
export function createReach(look: () => Promise<unknown>, limitMs = LIMIT_MS, freshMs = FRESH_MS): Reach {
  let looking: Promise<boolean> | undefined;
  let found: { isReached: boolean; until: number } | undefined;
  const lookOnce = async (): Promise<boolean> => {
    const isReached = await look().then(
      () => true,
      () => false,
    );
    looking = undefined;
    found = { isReached, until: performance.now() + freshMs };
    return isReached;
  };
  return {
    async isReached() {
      if (found && performance.now() < found.until) return found.isReached;
      looking ??= lookOnce();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), limitMs)));
      const isReached = await Promise.race([looking, late]);
      clearTimeout(timer);
      return isReached;
    },
  };
}
