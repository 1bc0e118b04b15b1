import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { World } from "./consolidation/world.ts";
import type { Embedder } from "./model/embedder.ts";
import { createRecall } from "./recall/create-recall.ts";
import type { Recall } from "./recall/create-recall.ts";
import { markUntrusted } from "./trust/mark-untrusted.ts";
import { scopeOf } from "./workspace.ts";

/** What may come from outside when a workspace's search is set up. */
export interface RecallSetup {
  workspace: string;
  embedder?: Embedder | undefined;
  isLongRunning?: boolean | undefined;
}

const DATA_FOLDER = fileURLToPath(new URL("../data", import.meta.url));

/** Sets up the search over a world; nothing is opened or loaded before the first question. */
export function openRecall(world: World, { workspace, embedder, isLongRunning }: RecallSetup): Recall {
  const { config, state, now } = world;
  const recall = createRecall({
    workspace,
    indexPath: join(workspace, ".tidemark", "index.sqlite"),
    config,
    now,
    clean: (text) => world.clean(text),
    isLongRunning,
    facts: {
      revision: () => state.factsVersion(),
      async list() {
        const facts = await state.listFacts();
        return facts.flatMap(({ session, message, text }) => (session && message ? [{ session, message, text }] : []));
      },
    },
    scopeOf: (path, session) => /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? scopeOf(session, config.memory.scope),
    openEmbedder: async (id) => {
      if (embedder) return id === undefined || id === embedder.id ? embedder : undefined;
      const { openStaticEmbedder } = await import("./model/static-embedder.ts");
      const local = await openStaticEmbedder(DATA_FOLDER);
      return id === undefined || id === local.id ? local : undefined;
    },
  });
  return {
    ...recall,
    async search(query, request) {
      const answer = await recall.search(query, request);
      return { ...answer, results: await markUntrusted(state, answer.results) };
    },
  };
}
