import type { Command } from "commander";
import type { ForgetReceipt, Forgotten } from "../../trust/forget.ts";
import { countOf, note, printable, printResult } from "../print.ts";
import { createProgress } from "../terminal/progress.ts";
import { createSpinner } from "../terminal/spinner.ts";
import { chooseStyle } from "../terminal/style.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface Options {
  session?: string;
  since?: string;
  person?: string;
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Adds `forget`. */
export function addForgetCommand(program: Command): void {
  addWorkspaceOption(program.command("forget"))
    .description(
      "forget for good: facts, diary, notes, transcripts, the log of changes and the index; previews first, verifies afterwards",
    )
    .argument("[text...]", "what to forget, in the words in which it is written")
    .option("--session <key>", "a whole session and everything drawn from it")
    .option("--since <date>", "everything said and written since this day or time: 2026-10-01, yesterday, …")
    .option("--person <name>", "everything that names this person or that they said")
    .option("--dry-run", "only show what would go")
    .option("-y, --yes", "do not ask; without a terminal nothing is forgotten unless this is given")
    .option("--json", "print JSON")
    .action(async (words: string[], options: Options, command: Command) => {
      const { session, since, person, json } = options;
      const text = words.length > 0 ? words.join(" ") : undefined;
      const given = [text, session, since, person].filter((each) => each !== undefined);
      if (given.length !== 1) command.error("name one thing to forget: a text, --session, --since or --person");
      const { readDate } = await import("../read-date.ts");
      const wish = options.dryRun ? { readOnly: true } : { passive: true };
      await withMemory(command, wish, async ({ trust, config }) => {
        const { timezone } = config.agents.defaults;
        const from = since === undefined ? undefined : readDate(since, "since", new Date(), timezone);
        const request = { text, session, since: from, person };
        if (!options.yes || options.dryRun) {
          const trial = await showSearch("Searching sessions", (onProgress) =>
            trust.forget(request, { isTrial: true, onProgress }),
          );
          if (options.dryRun || !process.stdin.isTTY) printResult(json, trial, renderForgotten);
          else process.stderr.write(`${printable(renderForgotten(trial))}\n`);
          if (options.dryRun) return;
          if (!process.stdin.isTTY || !(await isConfirmed())) {
            note(
              process.stdin.isTTY ? "nothing was forgotten" : "nothing was forgotten yet; --yes forgets all of this",
            );
            process.exitCode = 1;
            return;
          }
        }
        const forgotten = await showSearch("Forgetting", (onProgress) => trust.forget(request, { onProgress }));
        printResult(json, forgotten, renderForgotten);
        if (forgotten.kind === "forgotten" && forgotten.receipt.left.length > 0) process.exitCode = 1;
      });
    });
}

/** A bar while sessions are gone through; then a spinner while files, records and bytes are. */
async function showSearch<T>(
  label: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const spinner = createSpinner(process.stderr, chooseStyle(process.stderr, process.env));
  const bar = createProgress(label);
  spinner.start(label);
  try {
    return await work((done, total) => {
      spinner.stop();
      bar(done, total);
      if (done >= total) spinner.start("Checking files, records and every byte");
    });
  } finally {
    spinner.stop();
  }
}

async function isConfirmed(): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question("Forget all of this for good? [y/N] ")).trim());
  } finally {
    lines.close();
  }
}

function renderForgotten(forgotten: Forgotten): string {
  if (forgotten.kind === "forgotten") return renderReceipt(forgotten.receipt);
  return [
    `Would be forgotten: ${renderCounts(forgotten.counts)}`,
    ...forgotten.finds.map(renderFind),
    ...(forgotten.near.length > 0
      ? ["Says nearly the same, but would be kept:", ...forgotten.near.map(renderFind)]
      : []),
  ].join("\n");
}

function renderFind({ path, text }: { path: string; text: string }): string {
  // All of it: whoever says yes must have seen what goes.
  return `  ${path}: ${text.replaceAll(/\s+/g, " ")}`;
}

function renderReceipt({ at, kind, counts, scan, left, isProven, elsewhere }: ForgetReceipt): string {
  const places = scan.tables === undefined ? countOf(scan.files, "file") : countOf(scan.tables, "table");
  const looked = `${places}, ${countOf(scan.bytes, "byte")}, as ${scan.encodings.join(", ") || "nothing"}`;
  return [
    `Forgotten (by ${kind}) ${at}: ${renderCounts(counts)}.`,
    isProven
      ? `Verified: scanned every byte of the workspace (${looked}): ${left.length === 0 ? "nothing is left." : "it is still in"}`
      : "There were no words to look for, so there was nothing to verify.",
    ...left.map(({ path, encoding }) => `  ${path} (${encoding})`),
    ...(left.length > 0 ? ["Your own documents, skills and settings are never touched; edit them yourself."] : []),
    "The index is a cache: the next search rebuilds it.",
    elsewhere,
  ].join("\n");
}

function renderCounts(counts: ForgetReceipt["counts"]): string {
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return shown.map(([name, count]) => `${count} in ${name}`).join(", ") || "nothing";
}
