import { openHistory } from "./history/open-history.ts";
import { randomUUID } from "node:crypto";
import { chooseStore, loadConfigAt } from "./choose-store.ts";
import type { Config } from "./config.ts";
import { maskSecrets } from "./files/mask-secrets.ts";
import { openRecall } from "./open-recall.ts";
import type { Recall } from "./recall/create-recall.ts";
import { openFilesStore } from "./store/files/open-files-store.ts";
import { openReadOnlyStore } from "./store/files/open-read-only-store.ts";
import { formatTimestamp } from "./time.ts";
import { stripInvisible } from "./visible-text.ts";

/** Opens no more of a workspace than a question needs: its settings, its records and its index. */
export async function openLookup(
  workspace: string,
  onNotice: (text: string) => void,
  { readOnly }: { readOnly: boolean },
): Promise<Pick<Recall, "search" | "index" | "close"> & { config: Config }> {
  const chosen = chooseStore({ workspace });
  const config = await loadConfigAt(chosen);
  const { timezone } = config.agents.defaults;
  const setting = {
    timezone,
    timestamp: () => formatTimestamp(now(), timezone),
    newId: randomUUID,
    notice: onNotice,
    readOnly,
    cache: config.cache,
  };
  const openFolder = readOnly ? openReadOnlyStore : openFilesStore;
  const store = await (chosen.source?.open(setting) ?? openFolder(chosen.path, setting));
  const stopTelling = store.locks.onWait(onNotice);
  const { documents, logs } = store;
  const history = openHistory({ logs: store.changes, path: store.cachePath("history"), isReadOnly: readOnly });
  const recall = openRecall({ config, history, now, clean, store, documents, logs }, {});
  return {
    ...recall,
    config,
    async close() {
      await recall.close();
      history.close();
      await store.close();
      stopTelling();
    },
  };
}

function clean(text: string): string {
  return maskSecrets(stripInvisible(text));
}

function now(): Date {
  return new Date();
}
