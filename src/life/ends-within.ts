/** How long what is under way may go on when a memory is closed. */
export const CLOSE_WAIT_MS = 2000;
/** How long it may take to heed that it was stopped. */
export const ABORT_WAIT_MS = 5000;

/** Waits for work to end, for a while; whether it has. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const isEnded = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isEnded;
}
