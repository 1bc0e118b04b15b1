import type { Command } from "commander";
import type { diffLines } from "../../lines.ts";
import type { Verdicts, WaitingChange } from "../../trust/review.ts";
import { countOf, printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  accept?: boolean;
  reject?: boolean;
  edit?: string;
  all?: boolean;
  undo?: boolean;
  json?: boolean;
}

/** Adds `review`. */
export function addReviewCommand(program: Command): void {
  addWorkspaceOption(program.command("review"))
    .description("show the changes waiting for you, with their evidence; accept, edit or reject them")
    .argument("[change]", "the change that proposed them, as listed")
    .argument("[items...]", "the numbers of single changes; all of them by default")
    .option("--accept", "carry them out")
    .option("--reject", "drop them")
    .option("--edit <words>", "accept one change in other words")
    .option("--undo", "return what was rejected to the review: of this change, or the newest")
    .option("--all", "everything that is waiting")
    .option("--json", "print JSON")
    .action(async (change: string | undefined, items: string[], options: Options, command: Command) => {
      const verdict = options.reject ? "reject" : options.accept || options.edit !== undefined ? "accept" : undefined;
      if (options.reject && (options.accept || options.edit !== undefined))
        command.error("use --accept or --reject, not both");
      if (options.undo && (verdict !== undefined || options.all || items.length > 0))
        command.error("use --undo alone or with a change");
      const numbers = items.map(Number);
      if (numbers.some((number) => !Number.isInteger(number) || number < 1))
        command.error("name the changes by their numbers");
      if (verdict !== undefined && change === undefined && !options.all) command.error("name a change, or use --all");
      const isReading = verdict === undefined && !options.undo;
      await withMemory(command, isReading ? { readOnly: true } : { passive: true }, async (memory) => {
        if (options.undo) {
          const returned = await memory.reconsider({ ...(change === undefined ? {} : { change }), by: "user" });
          if (returned.kind === "nothing") process.exitCode = 1;
          printResult(options.json, returned, () =>
            returned.kind === "nothing"
              ? `Nothing changed: ${returned.reason}.`
              : [`${returned.change}: ${countOf(returned.items.length, "change")} back in the review`]
                  .concat(returned.items.map((fact) => `  ? ${fact}`))
                  .join("\n"),
          );
          return;
        }
        const { diffLines: diff } = await import("../../lines.ts");
        const { paintChanges } = await import("../terminal/paint.ts");
        const waiting = await memory.review();
        if (verdict === undefined) {
          const shown = waiting.filter((proposal) => proposal.change.startsWith(change ?? ""));
          printResult(
            options.json,
            { waiting: shown },
            () => shown.map((each) => renderProposal(each, diff)).join("\n\n") || "Nothing is waiting for you.",
            paintChanges,
          );
          return;
        }
        const wanted = options.all ? waiting.map((proposal) => proposal.change) : [change ?? ""];
        const decided: Verdicts[] = [];
        for (const each of wanted) {
          const chosen = numbers.length > 0 && !options.all ? numbers : undefined;
          decided.push(await memory.decide({ change: each, verdict, items: chosen, words: options.edit, by: "user" }));
        }
        printResult(
          options.json,
          { decided },
          () =>
            decided
              .map(({ change: id, accepted, rejected, refused = [], left }) =>
                [
                  `${id}: ${accepted.length} accepted, ${rejected.length} rejected, ${left} left`,
                  ...accepted.map((fact) => `  + ${fact}`),
                  ...refused.map(({ fact, reason }) => `  not done: ${fact}: ${reason}`),
                ].join("\n"),
              )
              .join("\n") || "Nothing is waiting for you.",
        );
      });
    });
}

type Diff = typeof diffLines;

function renderProposal({ change: id, session, from, to, reason, items }: WaitingChange, diff: Diff): string {
  const times = new Map<string, number>();
  for (const { fact } of items) times.set(fact, (times.get(fact) ?? 0) + 1);
  const lines = items.flatMap((item) => {
    const number = `${item.number}.`.padStart(4);
    const fact = (times.get(item.fact) ?? 0) > 1 && item.heading !== "" ? `${item.fact} (${item.heading})` : item.fact;
    if (item.file !== undefined) return renderFile(diff, number, item.file, item.before ?? "", item.fact);
    const change =
      item.kind === "retire" ? [`${number} - ${fact}`, `       why: ${item.reason}`] : [`${number} + ${fact}`];
    if (item.kind === "move") return [`${number} ~ ${item.fact}`, `       from ${item.heading} to ${item.to}`];
    if (item.kind === "reword") change.unshift(`     - ${item.before}`);
    return [...change, ...(item.source ? [`       ${renderEvidence(item.source)}`] : [])];
  });
  const stretch = to > from ? `${session} ${from}–${to - 1}` : session;
  return [`${id}  ${stretch}: ${countOf(items.length, "change")} waiting for you; ${reason}`, ...lines].join("\n");
}

/** A whole file, as what would change in it. */
function renderFile(diff: Diff, number: string, file: string, before: string, after: string): string[] {
  const lines = diff(before, after).filter(({ kind }) => kind !== " ");
  return [`${number} ~ ${file}`, ...lines.map(({ kind, text }) => `       ${kind} ${text}`)];
}

function renderEvidence({
  proof,
  quote,
  session,
  message,
  origin,
}: NonNullable<WaitingChange["items"][number]["source"]>): string {
  const trust = origin === "untrusted" ? "UNTRUSTED, from outside; " : "";
  if (proof === "quote") return `${trust}“${quote}” in ${session} ${message}`;
  return proof === "match" ? `${trust}likely from ${session} ${message}` : `${trust}no message supports it`;
}
