import type { Command } from "commander";
import type { Memory } from "../../memory.ts";
import type { ChangeHead } from "../../history/change.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `diff`. */
export function addDiffCommand(program: Command): void {
  addWorkspaceOption(program.command("diff"))
    .alias("show")
    .description("show a change (what it read, cost and did), or how memory differs between two changes")
    .argument("<change>", "a change, as `tidemark log` shows them")
    .argument("[other]", "a later change to compare with")
    .option("--json", "print JSON")
    .action(async (id: string, other: string | undefined, { json }: { json?: boolean }, command: Command) => {
      await withMemory(command, { readOnly: true }, async (memory) => {
        const one = await memory.trust.find(id);
        if (other === undefined) await printChange(memory, one, json);
        else await printDifference(memory, one, await memory.trust.find(other), json);
      });
    });
}

async function printChange(memory: Memory, change: ChangeHead, json: boolean | undefined): Promise<void> {
  const { diffLines, renderDiff } = await import("../../lines.ts");
  const { renderChange } = await import("../trust/render.ts");
  const { wordsOf } = await import("../../change/edit-records.ts");
  const { before, text } = await textsOf(memory, change);
  const [whole] = await memory.history.at([change.id]);
  const facts = await memory.history.listFacts({ scope: change.scope, change: change.id });
  const waiting = (await memory.review()).find((each) => each.change === change.id);
  const edits = whole?.edits ?? [];
  const value = {
    change,
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
        renderChange(change),
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

async function printDifference(
  memory: Memory,
  one: ChangeHead,
  two: ChangeHead,
  json: boolean | undefined,
): Promise<void> {
  const { diffLines, renderDiff } = await import("../../lines.ts");
  const { editsBetween } = await import("../../change/edits-between.ts");
  const { wordsOf } = await import("../../change/edit-records.ts");
  const before = (await textsOf(memory, one)).text;
  const after = (await textsOf(memory, two)).text;
  const value = {
    before: one.id,
    after: two.id,
    ...wordsOf(editsBetween(before, after, "", () => null)),
    lines: diffLines(before, after).filter(({ kind }) => kind !== " "),
  };
  const { paintChanges } = await import("../terminal/paint.ts");
  printResult(json, value, () => renderDiff(before, after) || "They are identical.", paintChanges);
}

async function textsOf(memory: Memory, { id }: ChangeHead): Promise<{ before: string; text: string }> {
  return (await memory.history.textsOf(id)) ?? { before: "", text: "" };
}
