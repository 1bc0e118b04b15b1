import { loadForgottenSince } from "../files/forgotten.ts";
import { maskSecrets } from "../files/mask-secrets.ts";
import type { Memory } from "../memory.ts";
import { skip } from "./found.ts";
import type { Found } from "./found.ts";

/** Where notes of other agents lie, from the workspace; they are searched like our own. */
const FOLDER = "memory/imported";

/** Keeps notes as they are, apart from ours; one that has grown at its end grows here, one that was changed here stays. */
export async function keepNotes(
  memory: Memory,
  found: Found,
  { from, dryRun, heard }: { from: string; dryRun: boolean; heard: string | undefined },
): Promise<{ added: number; known: number }> {
  const counts = { added: 0, known: 0 };
  const { documents } = memory.store;
  for (const { name, text } of found.notes) {
    const path = [FOLDER, from, ...name.split("/").map(safeName)].join("/");
    const masked = maskSecrets(text);
    const present = await documents.read(path);
    if (present === masked) {
      counts.known += 1;
      continue;
    }
    if (present !== undefined && !masked.startsWith(present)) {
      skip(found, name, "note", `${FOLDER}/${from}/ already has a different text of this name`);
      continue;
    }
    counts.added += 1;
    if (dryRun) continue;
    await memory.withFiles("", async () => {
      const isForgotten = await loadForgottenSince(documents, heard);
      const isGone = isForgotten(...masked.split("\n"));
      // Looked at again, now that nobody else writes: what was added to it since must not be lost.
      const isSame = (await documents.read(path)) === present;
      if (!isGone && isSame) return documents.write(path, masked);
      counts.added -= 1;
      skip(found, name, "note", isGone ? "forgotten here" : "it was changed here meanwhile; import it again");
    });
  }
  return counts;
}

/** A name in someone else's folder must not lead anywhere. */
function safeName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]/gu, "-").replace(/^\.+/, "-") || "-";
}
