import type { Config } from "../../config.ts";
import { describeError } from "../../errors.ts";
import { openModel } from "../../model/open-model.ts";
import type { Checked, Finding } from "./finding.ts";

const PATIENCE_SECONDS = 5;
const FIX = "tidemark models lists what is within reach, tidemark config shows what is set";

/** Each configured model answers a word, within seconds. */
export async function checkModels(config: Config): Promise<Checked> {
  const names = new Set(
    [config.agents.defaults.model, config.consolidation.model].filter((name) => name !== undefined),
  );
  if (names.size === 0) return { findings: [], notes: ["no model is configured: digests are made by rules"] };
  const findings: Finding[] = [];
  for (const name of names) {
    const problem = await findModelProblem(name, config);
    if (problem !== undefined) findings.push({ check: "model", problem, fix: FIX });
  }
  return { findings, notes: [] };
}

/** Asks a model for one word; why that failed, or undefined. */
export async function findModelProblem(
  name: string,
  config: Config,
  timeoutSeconds = PATIENCE_SECONDS,
): Promise<string | undefined> {
  try {
    const consolidation = { ...config.consolidation, timeoutSeconds };
    const model = await openModel(name, { ...config, consolidation });
    await model.ask({
      system: ["Answer with one word."],
      messages: [{ role: "user", content: "Hello" }],
      maxTokens: 16,
    });
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
