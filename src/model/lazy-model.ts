import type { Config } from "../config.ts";
import type { Model } from "./model.ts";
import { checkModelName, openModel } from "./open-model.ts";

/** A model that is opened when it is first asked; a name that cannot be right is refused now. */
export function createLazyModel(name: string, config: Config): Model {
  checkModelName(name, config);
  let opened: Promise<Model> | undefined;
  return {
    id: name,
    async ask(request) {
      opened ??= openModel(name, config);
      try {
        return await (await opened).ask(request);
      } catch (error) {
        // A key that was missing may be there at the next try.
        if (error instanceof Error && "code" in error && error.code !== "MODEL_FAILED") opened = undefined;
        throw error;
      }
    },
  };
}
