import { chooseStore, loadConfigAt } from "../../choose-store.ts";
import type { Config, Environment } from "../../config.ts";
import { Config as Schema } from "../../config-schema.ts";
import { MemoryError } from "../../errors.ts";
import type { Checked } from "./finding.ts";

/** The configuration is valid; where it is not, the other checks go on with the defaults. */
export async function checkConfig(workspace: string, environment: Environment): Promise<Checked & { config: Config }> {
  try {
    return { config: await loadConfigAt(chooseStore({ workspace }), {}, environment), findings: [], notes: [] };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    // A store that cannot be reached is found by the check of the store, and is nothing to correct in a file.
    if (error.code === "STATE_UNUSABLE") return { config: Schema.parse({}), findings: [], notes: [] };
    const finding = {
      check: "config",
      problem: error.message,
      fix: "correct the file; the other checks used the defaults",
    };
    return { config: Schema.parse({}), findings: [finding], notes: [] };
  }
}
