import { openSearch } from "../../src/recall/index/open-search.ts";
import type { SearchOptions } from "../../src/recall/index/open-search.ts";
import type { Search, SearchSetup } from "../../src/search/search.ts";
import { createFileSources } from "../../src/store/files/file-sources.ts";
import type { Store } from "../../src/store/store.ts";

/** A folder that is searched, with its index wherever it is wanted. */
export type FolderSearchOptions = Omit<SearchOptions, "openSources"> & { readonly workspace: string };

/** Opens the search over a folder, without a memory around it. */
export function openFolderSearch({ workspace, ...options }: FolderSearchOptions): Promise<Search> {
  return openSearch({ ...options, openSources: (how) => createFileSources(workspace, how) });
}

/** The same over any store. */
export function openStoreSearch(store: Store, setup: SearchSetup): Promise<Search> {
  return openSearch({ ...setup, openSources: (how) => store.openSources(how), indexPath: store.cachePath("index") });
}
