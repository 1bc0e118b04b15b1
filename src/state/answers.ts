import type { ModelAnswer } from "./model-answer.ts";

/** What models answered, run by run; apart from the runs, which are listed far more often than anyone reads an answer. */
export interface Answers {
  readAnswer(run: string): Promise<ModelAnswer | undefined>;
  /** Every answer, oldest first. */
  listAnswers(): Promise<(ModelAnswer & { run: string })[]>;
}
