import { z } from "zod";
import { confinePath, isOpenPath } from "../confine.ts";
import { showName } from "../../visible-text.ts";
import { createTool } from "../tool.ts";
import { listWorkspaceFolder } from "../workspace-texts.ts";

const MOST_ENTRIES = 500;

export const listDirTool = createTool(
  "list_dir",
  "Lists a folder in the workspace; folders end in a slash.",
  z.object({ path: z.string().default(".").describe("relative to the workspace; the workspace itself by default") }),
  async ({ path: folder }, call) => {
    const place = await confinePath(call.memory, call.session, folder);
    const names: string[] = [];
    for (const name of await listWorkspaceFolder(call.memory, place.relative)) {
      const path = `${place.relative === "" ? "." : place.relative}/${name.replace(/\/$/, "")}`;
      if (await isOpenPath(call.memory, call.session, path)) names.push(name);
    }
    names.sort();
    const shown = names.slice(0, MOST_ENTRIES).map(showName);
    if (names.length > shown.length) shown.push(`[and ${names.length - shown.length} more]`);
    return shown.length === 0 ? "(empty)" : shown.join("\n");
  },
);
