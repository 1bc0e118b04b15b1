import { maskSecrets } from "../files/mask-secrets.ts";
import type { Memory } from "../memory.ts";
import type { FoundNote, Skipped } from "./found.ts";

/** Where notes of other agents lie, from the workspace; they are searched like our own. */
const FOLDER = "memory/imported";

/** Keeps notes as they are, apart from ours; one that has grown at its end grows here, one that was changed here stays. */
export async function keepNotes(
  memory: Memory,
  from: string,
  notes: readonly FoundNote[],
  dryRun: boolean,
  skipped: Skipped[],
): Promise<{ added: number; known: number }> {
  const counts = { added: 0, known: 0 };
  for (const { name, text } of notes) {
    const path = [FOLDER, from, ...name.split("/").map(safeName)].join("/");
    const masked = maskSecrets(text);
    const present = await memory.store.documents.read(path);
    if (present === masked) {
      counts.known += 1;
      continue;
    }
    if (present !== undefined && !masked.startsWith(present)) {
      skipped.push({
        place: name,
        count: 1,
        what: "note",
        why: `${FOLDER}/${from}/ already has a different text of this name`,
      });
      continue;
    }
    counts.added += 1;
    if (!dryRun) await memory.withFiles("", () => memory.store.documents.write(path, masked));
  }
  return counts;
}

/** A name in someone else's folder must not lead anywhere. */
function safeName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]/gu, "-").replace(/^\.+/, "-") || "-";
}
