import { resolveApiKey } from "./config.ts";
import type { Config } from "./config.ts";
import type { Workspace } from "./workspace.ts";
import type { Embedder } from "./model/embedder.ts";
import type { EmbedderSettings } from "./model/open-embedder.ts";
import { createRecall } from "./recall/create-recall.ts";
import type { Recall } from "./recall/create-recall.ts";
import { createFreshOutside } from "./trust/fresh-outside.ts";
import { markUntrusted } from "./trust/mark-untrusted.ts";
import { shippedPath } from "./shipped.ts";
import { traced } from "./trace.ts";
import { scopeOf } from "./session/scope-of.ts";

/** What may come from outside when a workspace's search is set up. */
export interface RecallSetup {
  embedder?: Embedder | undefined;
  isLongRunning?: boolean | undefined;
}

const DATA_FOLDER = shippedPath("data");

/** What the configuration says of an embedder: of the one that is set, or of an earlier one by its id. */
function embedderSettings(config: Config, id: string | undefined): EmbedderSettings {
  const { embeddingModel, embeddingApiKey, embeddingBaseUrl } = config.tools.vectorMemory;
  // The local table's id names its version; whatever version is shipped now is the one that can be asked.
  const model = id === undefined ? embeddingModel : id.startsWith("local/") ? "local" : id;
  const provider = model.split("/")[0] ?? "";
  const settings = config.providers[provider];
  const isLocal = model === "local" || model.startsWith("onnx:");
  return {
    model,
    apiKey: isLocal ? undefined : resolveApiKey(provider, embeddingApiKey ?? settings?.apiKey),
    baseUrl: embeddingBaseUrl ?? settings?.baseUrl,
    dataFolder: DATA_FOLDER,
  };
}

/** Sets up the search over a workspace; nothing is opened or loaded before the first question. */
export function openRecall(
  workspace: Pick<Workspace, "config" | "history" | "now" | "clean" | "store" | "documents" | "logs">,
  { embedder, isLongRunning }: RecallSetup,
): Recall {
  const { config, history, now } = workspace;
  const recall = createRecall({
    async openSearch(setup) {
      // Loaded with the first question: most commands ask none.
      const { openSearch } = await import("./recall/index/open-search.ts");
      const { store } = workspace;
      return openSearch({
        ...setup,
        openSources: (options) => store.openSources(options),
        indexPath: store.cachePath("index"),
      });
    },
    config,
    now,
    clean: (text) => workspace.clean(text),
    isLongRunning,
    facts: {
      version: () => history.factsVersion(),
      async list() {
        const facts = await history.listFacts();
        return facts.flatMap(({ session, message, text }) => (session && message ? [{ session, message, text }] : []));
      },
    },
    scopeOf: (path, session) => /^memory\/scopes\/([^/]+)\//.exec(path)?.[1] ?? scopeOf(session, config.memory.scope),
    openEmbedder: async (id) => {
      if (embedder) return id === undefined || id === embedder.id ? embedder : undefined;
      const { openEmbedder } = await import("./model/open-embedder.ts");
      return openEmbedder(embedderSettings(config, id));
    },
  });
  const isFresh = createFreshOutside(workspace.logs, config.trust);
  return {
    ...recall,
    search: (query, request) =>
      traced(
        "recall",
        {},
        async () => {
          const answer = await recall.search(query, request);
          const results = await markUntrusted({ history, documents: workspace.documents, isFresh }, answer.results);
          return { ...answer, results };
        },
        ({ results }) => ({ "tidemark.hits": results.length }),
      ),
  };
}
