import { generateText, isStepCount } from "ai";
import type { LanguageModel } from "ai";
import { openMemory } from "../../src/index.ts";
import { memoryTools, withMemory } from "../../src/ai-sdk.ts";

/** The example of docs/doors.md, which is checked against this file. */
export async function runExample(yourModel: Exclude<LanguageModel, string>): Promise<string[]> {
  // example begins
  const memory = await openMemory({ workspace: "./my-agent" });
  const session = "app:ada";
  const model = withMemory(yourModel, { memory, session });
  const tools = memoryTools({ memory, session });

  const answers = [];
  for (const prompt of ["Remember that I live in Lisbon.", "Where do I live?"]) {
    const { text } = await generateText({ model, tools, stopWhen: isStepCount(5), prompt });
    answers.push(text);
  }

  await memory.settle(); // what is due is digested
  await memory.close();
  // example ends
  return answers;
}
