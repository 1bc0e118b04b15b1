import { resolve } from "node:path";
import { loadConfig } from "./config.ts";
import { maskSecrets } from "./files/mask-secrets.ts";
import { locksPath } from "./layout.ts";
import { onLockWait } from "./lock.ts";
import { openRecall } from "./open-recall.ts";
import { openRecords } from "./open-records.ts";
import type { Recall } from "./recall/create-recall.ts";
import { stripInvisible } from "./visible-text.ts";

/** Opens no more of a workspace than a question needs: its settings, its records and its index. */
export async function openLookup(
  workspace: string,
  onNotice: (text: string) => void,
): Promise<Pick<Recall, "search" | "index" | "close">> {
  const path = resolve(workspace);
  const config = loadConfig(path);
  const stopTelling = onLockWait(locksPath(path), onNotice);
  const state = await openRecords(path, onNotice);
  const recall = openRecall({ path, config, state, now: () => new Date(), clean }, {});
  return {
    ...recall,
    async close() {
      await recall.close();
      await state.close();
      stopTelling();
    },
  };
}

function clean(text: string): string {
  return maskSecrets(stripInvisible(text));
}
