import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { Memory } from "../../memory.ts";
import { DOUBTFUL } from "../../recall/doubtful.ts";
import type { SearchRequest } from "../../recall/create-recall.ts";
import { parseCount } from "../parse-count.ts";
import { note, printResult } from "../print.ts";
import { page } from "../terminal/page.ts";
import { showIndexing } from "../show-indexing.ts";
import { addWorkspaceOption, workspaceOf } from "../workspace.ts";

/** Opens the search of a command's workspace for `work` and closes it after. */
export type WithRecall = <T>(
  command: Command,
  work: (recall: Pick<Memory, "search" | "index" | "config">) => Promise<T>,
) => Promise<T>;

interface SearchFlags extends Omit<SearchRequest, "scopes" | "since" | "until"> {
  since?: string;
  until?: string;
  json?: boolean;
  queries?: string;
  minScore?: number;
}

/** Adds `search`. */
export function addSearchCommand(program: Command, withRecall: WithRecall): void {
  addWorkspaceOption(program.command("search"))
    .description("find what was said and noted, by words and by meaning")
    .argument("[question...]", "what to look for")
    .option("-n, --limit <count>", "how many results (10)", parseCount)
    .option("--since <date>", 'nothing older: 2026-10-01, 2026-10, yesterday, "last week", "3 days ago"')
    .option("--until <date>", "nothing newer; same formats")
    .option("--project <name>", "only this folder of docs/, or _memory")
    .option("--min-score <number>", "nothing below this score, from 0 to 1", parseScore)
    .option("--explain", "show how each score is made up")
    .option("--queries <file>", 'answer each line {"id", "query"} of a file with a line {"id", "results"}; - is stdin')
    .option("--json", "print JSON")
    .action(async (words: string[], flags: SearchFlags, command: Command) => {
      const { json, queries, minScore = 0, ...request } = flags;
      const question = words.join(" ");
      const isAsked = question.trim() !== "";
      if (isAsked && queries !== undefined) command.error("give a question or --queries, not both");
      if (!isAsked && queries === undefined) command.error("say what to look for, or name a file with --queries");
      const { readDate } = await import("../read-date.ts");
      await withRecall(command, async (recall) => {
        const { timezone } = recall.config.agents.defaults;
        const now = new Date();
        if (request.since !== undefined) request.since = readDate(request.since, "since", now, timezone);
        if (request.until !== undefined) request.until = readDate(request.until, "until", now, timezone);
        // Searching does it by itself; a person is shown how far it is.
        if (process.stderr.isTTY) await recall.index({ onProgress: showIndexing() });
        if (queries !== undefined)
          return (await import("../answer-queries.ts")).answerQueries(recall, queries, request, minScore);
        const found = await recall.search(question, request);
        const answer = { ...found, results: found.results.filter(({ score }) => score >= minScore) };
        for (const text of answer.notes) note(text);
        // Where nothing answers, it may be in what is not searched.
        if (answer.confidence < DOUBTFUL) {
          const { describeLeftOut } = await import("../left-out.ts");
          const leftOut = describeLeftOut(await workspaceOf(command));
          if (leftOut !== undefined) note(leftOut);
        }
        const { renderAnswer } = await import("../../recall/render-answer.ts");
        if (json) printResult(json, answer, () => "");
        // It puts the colours in itself, around what it has made harmless.
        else page(`${renderAnswer(answer, question, hasColour())}\n`);
      });
    });
}

function parseScore(text: string): number {
  const score = Number(text);
  if (text.trim() === "" || !(score >= 0 && score <= 1)) throw new InvalidArgumentError("It must be from 0 to 1.");
  return score;
}

function hasColour(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";
}
