import { z } from "zod";
import { noteWrittenFile } from "../../change/outside-files.ts";
import { isSteering } from "../../change/steering-files.ts";
import { MemoryError } from "../../errors.ts";
import { confinePath } from "../confine.ts";
import type { ConfinedPath } from "../confine.ts";
import { createTool } from "../tool.ts";
import type { ToolCall } from "../tool.ts";

const DATED_NOTE = /\/\d{4}-\d{2}-\d{2}[^/]*\.md$/;

export const writeFileTool = createTool(
  "write_file",
  "Writes a text file of the workspace, whole; its folders are made. For a small change use edit_file.",
  z.object({
    path: z.string().describe("from the workspace"),
    content: z.string().describe("the whole new text"),
  }),
  async ({ path, content }, world) => {
    const place = await confinePath(world.memory, world.session, path);
    return storeFile(place, content, world);
  },
);

/** Writes a file (`base` is what was read of it, where it was); MEMORY.md through its revisions, what steers the agent as a proposal, and the transcripts and the diary not at all. */
export async function storeFile(place: ConfinedPath, content: string, world: ToolCall, base?: string): Promise<string> {
  const { memory, session } = world;
  const { memoryFolder } = memory.pathsOf(session);
  const path = place.relative.toLowerCase();
  if (path === "" || path.endsWith("/")) throw refuse(place, "it is a folder");
  if (path.startsWith("sessions/")) throw refuse(place, "what was said is never changed");
  if (path === `${memoryFolder}/history.md`) {
    throw refuse(place, "the diary only grows, by consolidation; use remember for a fact");
  }
  if (path === `${memoryFolder}/memory.md`) {
    const { kind, waiting } = await memory.rewrite(session, content, world.model, base);
    if (kind === "changed-meanwhile") throw refuse(place, "someone changed it meanwhile; read it again");
    if (kind === "written") world.noteSaved();
    if (waiting.length > 0) {
      const list = waiting.map((fact) => `\n- ${fact}`).join("");
      return `These changes stand on what came from outside, not on the user's word; they wait for the user (tidemark review):${list}`;
    }
    return `Wrote ${place.relative}; the text before is kept as a revision, and /undo brings it back.`;
  }
  if (isSteering(path)) {
    const proposed = await memory.proposeFile(session, { path: place.relative, text: content, by: world.model });
    return `${proposed} steers you, so it is the user's to change: the text was not written. It waits for the user (tidemark review); tell them.`;
  }
  const isMemory = path.startsWith("memory/");
  const text = isMemory ? memory.clean(content) : content;
  if (
    isMemory &&
    DATED_NOTE.test(path) &&
    !text.startsWith((await memory.store.documents.read(place.relative)) ?? "")
  ) {
    throw refuse(place, "dated notes only grow; keep the text that is there and add to its end");
  }
  await memory.store.documents.write(place.relative, text);
  await noteWrittenFile(memory, session, { path: place.relative, text });
  return `Wrote ${text.length} characters to ${place.relative}.`;
}

function refuse(place: ConfinedPath, reason: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(place.relative)} cannot be written: ${reason}`);
}
