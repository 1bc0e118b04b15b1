import { z } from "zod";
import { noteWrittenFile } from "../../change/note-written-file.ts";
import { isConfiguration } from "../../change/settings-change.ts";
import { isSteering } from "../../change/steering-files.ts";
import { MemoryError } from "../../errors.ts";
import { refuseForgotten } from "../../files/forgotten.ts";
import { confinePath } from "../confine.ts";
import type { ConfinedPath } from "../confine.ts";
import { createTool } from "../tool.ts";
import type { ToolCall } from "../tool.ts";

const DATED_NOTE = /\/\d{4}-\d{2}-\d{2}[^/]*\.md$/;
const CHANGED_MEANWHILE = "someone has changed it in the meantime; read it again";

export const writeFileTool = createTool(
  "write_file",
  "Writes a whole text file in the workspace, creating folders as needed. For a small change use edit_file.",
  z.object({
    path: z.string().describe("relative to the workspace"),
    content: z.string().describe("the whole new text"),
  }),
  async ({ path, content }, call) => {
    if (isConfiguration(path)) return proposeSettings(path, content, call);
    const place = await confinePath(call.memory, call.session, path);
    return storeFile(place, content, call);
  },
);

/** The configuration may hold keys, so that the agent does not see it; it names the settings that it would change. */
async function proposeSettings(
  path: string,
  text: string,
  { memory, session, model, heard }: ToolCall,
): Promise<string> {
  const file = await memory.proposeFile(session, { path, text, by: model, heard });
  return `${file} is the user's to change: nothing was written. The settings that you named wait for the user (tidemark review), and those that you did not name would stay; tell them.`;
}

/** Writes a file (`base` is what was read of it, where it was); MEMORY.md as a change on record, what steers the agent as a proposal, and the transcripts and the diary not at all. */
export async function storeFile(place: ConfinedPath, content: string, call: ToolCall, base?: string): Promise<string> {
  const { memory, session, model } = call;
  const heard = call.heard ?? (await memory.hear());
  const { memoryFolder } = memory.pathsOf(session);
  const path = place.relative.toLowerCase();
  if (path === "" || path.endsWith("/")) throw refuse(place, "it is a folder");
  if (path.startsWith("sessions/")) throw refuse(place, "what was said is never changed");
  if (path === `${memoryFolder}/history.md`) {
    throw refuse(place, "the diary only grows, by consolidation; use remember for a fact");
  }
  if (path === `${memoryFolder}/memory.md`) {
    const { kind, waiting } = await memory.rewrite(session, content, model, base, heard);
    if (kind === "changed-meanwhile") throw refuse(place, CHANGED_MEANWHILE);
    if (kind === "written") call.noteSaved();
    if (waiting.length > 0) {
      const list = waiting.map((fact) => `\n- ${fact}`).join("");
      return `These changes rest on content from outside, not on the user's word; they are waiting for the user (tidemark review):${list}`;
    }
    return `Wrote ${place.relative}; the log of changes keeps the previous text, and /undo brings it back.`;
  }
  if (isSteering(path)) {
    const proposed = await memory.proposeFile(session, { path: place.relative, text: content, by: model, heard });
    return `${proposed} steers you, so only the user may change it: the text was not written. It is waiting for the user (tidemark review); tell them.`;
  }
  const isMemory = path.startsWith("memory/");
  const text = isMemory ? memory.clean(content) : content;
  const { documents } = memory.store;
  await memory.withFiles(session, async () => {
    const current = await documents.read(place.relative);
    if (isMemory && DATED_NOTE.test(path) && !text.startsWith(current ?? "")) {
      throw refuse(place, "dated notes only grow; keep the existing text and add to its end");
    }
    if (base !== undefined && base !== current) throw refuse(place, CHANGED_MEANWHILE);
    await refuseForgotten(documents, heard, { texts: text.split("\n") });
    await documents.write(place.relative, text);
  });
  await noteWrittenFile(memory, session, { path: place.relative, text });
  return `Wrote ${text.length} characters to ${place.relative}.`;
}

function refuse(place: ConfinedPath, reason: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `${JSON.stringify(place.relative)} cannot be written: ${reason}`);
}
