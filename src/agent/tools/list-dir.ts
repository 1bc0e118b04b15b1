import { readdir } from "node:fs/promises";
import { z } from "zod";
import { confinePath, isOpenPath } from "../confine.ts";
import { createTool } from "../tool.ts";

const MOST_ENTRIES = 500;

export const listDirTool = createTool(
  "list_dir",
  "Lists a folder in the workspace; folders end in a slash.",
  z.object({ path: z.string().default(".").describe("relative to the workspace; the workspace itself by default") }),
  async ({ path: folder }, world) => {
    const place = await confinePath(world.memory, world.session, folder);
    const entries = await readdir(place.absolute, { withFileTypes: true });
    const names: string[] = [];
    for (const entry of entries) {
      const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
      const path = `${place.relative === "" ? "." : place.relative}/${entry.name}`;
      if (await isOpenPath(world.memory, world.session, path)) names.push(name);
    }
    names.sort();
    const shown = names.slice(0, MOST_ENTRIES);
    if (names.length > shown.length) shown.push(`[and ${names.length - shown.length} more]`);
    return shown.length === 0 ? "(empty)" : shown.join("\n");
  },
);
