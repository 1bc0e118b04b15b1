import type { Memory } from "../memory.ts";
import type { StoredMessage } from "../session/message.ts";

/** Everything that a session holds by now, digested or not, in any store. */
export async function loadStored({ store }: Memory, key: string): Promise<readonly StoredMessage[]> {
  if (!(await store.logs.has(key))) return [];
  const log = await store.logs.open(key);
  await log.load(0);
  return log.messages();
}
