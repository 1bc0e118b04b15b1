import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes the code of earlier builds: its names tell what is in it, so that no build would overwrite it. */
export function clearBuilt(dist: string): void {
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".js") && !/^ui[\\/]/.test(name)) rmSync(join(dist, name));
  }
}
