import { statSync } from "node:fs";

const TRIES = 30;
const PAUSE_MS = 30;
const JUST_MS = 1000;

/**
 * Reads a file that said this last, if that is known; one that an editor has just emptied, or taken away though it said something last, is most likely about to
 * be written, and is read again.
 */
export async function afterSave<T extends { length: number }>(
  path: string,
  read: () => Promise<T>,
  last?: string,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    const content = await read();
    if (content.length > 0 || tries >= TRIES || !isBeingWritten(path, last)) return content;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Whether a file that was empty a moment ago has words by now, or was emptied so lately that they may still come. */
function isBeingWritten(path: string, last: string | undefined): boolean {
  // It said nothing before, either: we may have emptied it ourselves.
  if (last?.trim() === "") return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  // Nothing tells when it was taken away. Whoever deleted it for good is waited for once: then it says nothing, on record.
  if (stat === undefined) return last !== undefined;
  return stat.isFile() && (stat.size > 0 || Math.abs(Date.now() - stat.mtimeMs) < JUST_MS);
}
