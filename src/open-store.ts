import { randomUUID } from "node:crypto";
import { chooseStore, loadConfigAt } from "./choose-store.ts";
import { openFilesStore } from "./store/files/open-files-store.ts";
import type { Store } from "./store/store.ts";
import { formatTimestamp } from "./time.ts";

/** Opens where a workspace lies, and nothing above it: nothing is digested, finished or noted meanwhile. */
export async function openStore(
  workspace: string,
  notice: (text: string) => void,
): Promise<{ name: string; store: Store }> {
  const chosen = chooseStore({ workspace });
  const { agents, cache } = await loadConfigAt(chosen);
  const { timezone } = agents.defaults;
  const timestamp = () => formatTimestamp(new Date(), timezone);
  const setting = { timezone, timestamp, newId: randomUUID, notice, cache };
  const store = await (chosen.source?.open(setting) ?? openFilesStore(chosen.path, setting));
  return { name: chosen.path, store };
}
