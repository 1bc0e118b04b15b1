import { chooseStore, loadConfigAt } from "../choose-store.ts";
import type { ConfigInput } from "../config.ts";
import { openMemory } from "../memory.ts";
import type { Memory, MemoryOptions } from "../memory.ts";
import { openOnce } from "../open-once.ts";

/** Where the memory is: one that is open, or a folder. */
export type MemorySource = OpenSource | WorkspaceSource;

/** A memory that the caller has opened, and closes. */
export interface OpenSource {
  memory: Memory;
  /** Who talks, as `channel:chat`. */
  session: string;
}

/** A folder, whose memory is opened with the first use. */
export interface WorkspaceSource {
  workspace: string;
  /** Who talks, as `channel:chat`. */
  session: string;
  /** Laid over the workspace's own configuration file. */
  config?: ConfigInput;
}

/** A memory that is there when it is first needed. */
export interface MemoryHandle {
  get(): Promise<Memory>;
  /** Closes what was opened here; a memory that the caller opened stays open. */
  close(): Promise<void>;
}

/** Makes a handle of a source; a folder without a configured model digests with `model`. */
export function createHandle(source: MemorySource, model?: MemoryOptions["model"]): MemoryHandle {
  if ("memory" in source) return { get: async () => source.memory, close: async () => undefined };
  const opening = openOnce(async () => {
    const { workspace, config } = source;
    const { agents, consolidation } = await loadConfigAt(chooseStore({ workspace }), config);
    const hasModel = (consolidation.model ?? agents.defaults.model) !== undefined;
    return openMemory({
      workspace,
      ...(config === undefined ? {} : { config }),
      ...(hasModel || model === undefined ? {} : { model }),
      isLongRunning: true,
    });
  });
  return {
    get: () => opening.get(),
    async close() {
      await (await opening.take())?.close();
    },
  };
}
