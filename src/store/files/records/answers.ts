import type { Answers } from "../../../state/answers.ts";
import { answerHits } from "../../../state/answer-hits.ts";
import type { Eraser } from "../../../state/erasing.ts";
import { ModelAnswer } from "../../../state/model-answer.ts";
import { Run } from "../../../state/state.ts";
import type { Database } from "../database.ts";

/** Answers over the state's database. */
export function createAnswers(database: Database): Answers {
  return {
    async readAnswer(run) {
      const row = database.prepare("SELECT payload FROM answers WHERE run = ?").get(run);
      return row === undefined ? undefined : ModelAnswer.parse(JSON.parse(String(row["payload"])));
    },
    async listAnswers() {
      const rows = database.prepare("SELECT run, payload FROM answers ORDER BY rowid").all();
      return rows.map((row) => ({
        run: String(row["run"]),
        ...ModelAnswer.parse(JSON.parse(String(row["payload"]))),
      }));
    },
  };
}

/** Keeps what a model answered; the caller is in a transaction. */
export function insertAnswer(database: Database, run: string, answer: ModelAnswer): void {
  database
    .prepare("INSERT OR REPLACE INTO answers (run, payload) VALUES (?, ?)")
    .run(run, JSON.stringify(ModelAnswer.parse(answer)));
}

/** Takes out the answers that carry what is forgotten, and those of runs that go. */
export function eraseAnswers(database: Database, eraser: Eraser, isTrial: boolean): number {
  const rows = database
    .prepare(
      "SELECT answers.run, answers.payload, runs.payload AS record FROM answers LEFT JOIN runs ON runs.id = answers.run",
    )
    .all();
  const gone = rows.filter((row) => {
    if (row["record"] === null) return true;
    const { id, scope } = Run.parse(JSON.parse(String(row["record"])));
    return answerHits(ModelAnswer.parse(JSON.parse(String(row["payload"]))), scope, eraser) || eraser.isRun(id);
  });
  if (!isTrial) for (const row of gone) database.prepare("DELETE FROM answers WHERE run = ?").run(String(row["run"]));
  return gone.length;
}
