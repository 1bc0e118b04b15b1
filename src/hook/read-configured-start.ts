import { loadConfig } from "../config.ts";
import { scopeOf } from "../session/scope-of.ts";
import type { CalledHook } from "./called-hook.ts";
import { readInput, sessionOf } from "./hook-input.ts";
import { keepStart, startSettings } from "./kept-start.ts";
import { renderScope } from "./read-memory-prompt.ts";

/** What a session is given at its start where the configuration must be read for it, which takes longer. */
export async function readConfiguredStart(workspace: string, program: string, call: CalledHook): Promise<string> {
  const config = loadConfig(workspace);
  const settings = startSettings(config);
  const scope = scopeOf(sessionOf(call, readInput(call)), config.memory.scope);
  return keepStart(workspace, program, settings, () => renderScope(workspace, scope, settings.budgetTokens));
}
