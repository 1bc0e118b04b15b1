import type { SyncProgress } from "../search/search.ts";
import { createProgress } from "./terminal/progress.ts";
import type { ShowProgress } from "./terminal/progress.ts";

const LABELS = { files: "Reading files", vectors: "Embedding passages" };

/** A bar for each part of indexing. */
export function showIndexing(): (progress: SyncProgress) => void {
  const bars = new Map<string, ShowProgress>();
  return ({ phase, done, total }) => {
    const show = bars.get(phase) ?? createProgress(LABELS[phase]);
    bars.set(phase, show);
    show(done, total);
  };
}
