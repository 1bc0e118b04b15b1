import type { SyncProgress } from "../search/search.ts";
import { createProgress } from "./terminal/progress.ts";

/** A bar for each part of indexing. What is long between two reports counts, too: it begins with the work, not with the first. */
export function showIndexing(): (progress: SyncProgress) => void {
  const files = createProgress("Reading files");
  let vectors = createProgress("Embedding passages");
  return ({ phase, done, total }) => {
    if (phase === "vectors") vectors(done, total);
    else {
      files(done, total);
      vectors = createProgress("Embedding passages");
    }
  };
}
