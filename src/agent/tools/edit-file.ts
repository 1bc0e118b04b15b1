import { z } from "zod";
import { MemoryError } from "../../errors.ts";
import { confinePath } from "../confine.ts";
import { createTool } from "../tool.ts";
import { readWorkspaceBytes } from "../workspace-texts.ts";
import { storeFile } from "./write-file.ts";

export const editFileTool = createTool(
  "edit_file",
  "Replaces a piece of a text file in the workspace. The old text must occur exactly once.",
  z.object({
    path: z.string().describe("relative to the workspace"),
    old_text: z.string().min(1).describe("the exact text to replace, long enough to be unique"),
    new_text: z.string().describe("the text to put in its place"),
  }),
  async ({ path, old_text, new_text }, call) => {
    const place = await confinePath(call.memory, call.session, path);
    const text = (await readWorkspaceBytes(call.memory, place.relative))?.toString("utf8");
    if (text === undefined) throw new MemoryError("FILE_UNREADABLE", `${path} is not a file`);
    const times = text.split(old_text).length - 1;
    if (times === 0) throw new MemoryError("NOT_FOUND", `${path} does not contain this text; read it first`);
    if (times > 1) throw new MemoryError("NOT_FOUND", `${path} contains this text ${times} times; give more of it`);
    const at = text.indexOf(old_text);
    return storeFile(place, `${text.slice(0, at)}${new_text}${text.slice(at + old_text.length)}`, call, text);
  },
);
