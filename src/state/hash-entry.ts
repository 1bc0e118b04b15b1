import { createHash } from "node:crypto";

/** The name by which a run knows an entry that it wrote to diary or notes; the words cannot be had back from it. */
export function hashEntry(entry: string): string {
  return createHash("sha256").update(entry.trim()).digest("hex").slice(0, 32);
}
