import type { Answers } from "../../../history/answers.ts";
import { answerHits } from "../../../history/answer-hits.ts";
import type { Eraser } from "../../../history/erasing.ts";
import { ModelAnswer } from "../../../history/model-answer.ts";
import { Run } from "../../../history/state.ts";
import { textIn } from "../engine.ts";
import type { Query, Tenant } from "../tenant.ts";

/** What models answered, run by run. */
export function createAnswers({ query }: Tenant): Answers {
  return {
    async readAnswer(run) {
      const [row] = await query("SELECT payload FROM tidemark_answers WHERE workspace = $1 AND run = $2", [run]);
      return row === undefined ? undefined : ModelAnswer.parse(JSON.parse(String(row["payload"])));
    },
    async listAnswers() {
      const rows = await query("SELECT run, payload FROM tidemark_answers WHERE workspace = $1 ORDER BY sequence");
      return rows.map((row) => ({
        run: String(row["run"]),
        ...ModelAnswer.parse(JSON.parse(String(row["payload"]))),
      }));
    },
  };
}

/** Keeps what a model answered; the caller is in a transaction. */
export async function insertAnswer(ask: Query, run: string, answer: ModelAnswer): Promise<void> {
  await ask(
    `INSERT INTO tidemark_answers (workspace, run, payload) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, run) DO UPDATE SET payload = excluded.payload`,
    [run, JSON.stringify(ModelAnswer.parse(answer))],
  );
}

/** Takes out the answers that carry what is forgotten, and those of runs that go. */
export async function eraseAnswers(ask: Query, eraser: Eraser, isTrial: boolean): Promise<number> {
  const rows = await ask(
    `SELECT a.run, a.payload, r.payload AS record FROM tidemark_answers a
     LEFT JOIN tidemark_runs r ON r.workspace = a.workspace AND r.id = a.run WHERE a.workspace = $1`,
  );
  const gone = rows.filter((row) => {
    if (row["record"] === null) return true;
    const { id, scope } = Run.parse(JSON.parse(textIn(row, "record")));
    return answerHits(ModelAnswer.parse(JSON.parse(String(row["payload"]))), scope, eraser) || eraser.isRun(id);
  });
  if (!isTrial)
    for (const row of gone)
      await ask("DELETE FROM tidemark_answers WHERE workspace = $1 AND run = $2", [String(row["run"])]);
  return gone.length;
}
