import type { Command } from "commander";
import type { Memory } from "../../memory.ts";
import type { Target } from "../../trust/find-target.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `diff`. */
export function addDiffCommand(program: Command): void {
  addWorkspaceOption(program.command("diff"))
    .alias("show")
    .description("show a run or revision (what it read, cost and changed), or how two revisions differ")
    .argument("<id>", "a run, or a revision such as r12, as `tidemark log` shows them")
    .argument("[other]", "a later revision to compare with")
    .option("--json", "print JSON")
    .action(async (id: string, other: string | undefined, { json }: { json?: boolean }, command: Command) => {
      await withMemory(command, { readOnly: true }, async (memory) => {
        const one = await memory.trust.find(id);
        if (other === undefined) await printChange(memory, one, json);
        else await printDifference(memory, one, await memory.trust.find(other), json);
      });
    });
}

async function printChange(memory: Memory, { run, revision }: Target, json: boolean | undefined): Promise<void> {
  const { diffLines, renderDiff } = await import("../../lines.ts");
  const { renderRun, shortTime } = await import("../trust/render.ts");
  const { editsBetween } = await import("../../change/edits-between.ts");
  const { wordsOf } = await import("../../change/edit-records.ts");
  const { before, text } = await textsOf(memory, revision);
  const facts = run ? (await memory.state.listFacts({ scope: run.scope })).filter((fact) => fact.run === run.id) : [];
  const waiting = (await memory.review()).find((each) => each.run === run?.id);
  const edits = revision?.edits ?? editsBetween(before, text, revision?.cause ?? "", () => null);
  const value = {
    run: run ?? null,
    revision: revision?.id ?? null,
    author: revision?.author ?? null,
    ...wordsOf(edits),
    edits,
    facts,
    waiting: waiting?.items ?? [],
    lines: diffLines(before, text).filter(({ kind }) => kind !== " "),
  };
  const { paintChanges } = await import("../terminal/paint.ts");
  printResult(
    json,
    value,
    () =>
      [
        ...(run ? [renderRun(run)] : []),
        ...(revision ? [`Revision   r${revision.id} by ${revision.author}, ${shortTime(revision.at)}`] : []),
        ...(waiting ? [`Waiting    ${waiting.items.length} of its changes; see tidemark review`] : []),
        "",
        renderDiff(before, text) || "MEMORY.md did not change.",
        ...facts.flatMap(({ text: fact, quote, session, message }) =>
          message === null ? [] : [`  ${fact}\n    ${session} ${message}${quote === null ? "" : `: “${quote}”`}`],
        ),
      ].join("\n"),
    paintChanges,
  );
}

async function printDifference(memory: Memory, one: Target, two: Target, json: boolean | undefined): Promise<void> {
  const { diffLines, renderDiff } = await import("../../lines.ts");
  const { editsBetween } = await import("../../change/edits-between.ts");
  const { wordsOf } = await import("../../change/edit-records.ts");
  const before = (await textsOf(memory, one.revision)).text;
  const after = (await textsOf(memory, two.revision)).text;
  const value = {
    before: one.revision?.id ?? null,
    after: two.revision?.id ?? null,
    ...wordsOf(editsBetween(before, after, "", () => null)),
    lines: diffLines(before, after).filter(({ kind }) => kind !== " "),
  };
  const { paintChanges } = await import("../terminal/paint.ts");
  printResult(json, value, () => renderDiff(before, after) || "They are identical.", paintChanges);
}

async function textsOf(memory: Memory, revision: Target["revision"]): Promise<{ before: string; text: string }> {
  const texts = revision && (await memory.state.readRevision(revision.id));
  return texts ?? { before: "", text: "" };
}
