import type { Command } from "commander";
import type { WhyStory } from "../../trust/trace.ts";
import { printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `why`. */
export function addWhyCommand(program: Command): void {
  addWorkspaceOption(program.command("why"))
    .description(
      "explain why something is or was believed: session, message, quote, change, model; when it entered and left",
    )
    .argument("<fact...>", "the fact, or some of its words")
    .option("--session <key>", "use this session's memory, where sessions or users have their own")
    .option("--json", "print JSON")
    .action(async (words: string[], options: { session?: string; json?: boolean }, command: Command) => {
      const render = await import("../trust/render.ts");
      await withMemory(command, { readOnly: true }, async ({ trust }) => {
        const stories = await trust.why(words.join(" "), options.session);
        printResult(
          options.json,
          { stories },
          () =>
            stories.map((story) => renderStory(story, render)).join("\n\n") ||
            "No such fact is on record, now or earlier.",
        );
        if (stories.length === 0) process.exitCode = 1;
      });
    });
}

function renderStory(
  story: WhyStory,
  { renderSource, describeChange, shortTime }: typeof import("../trust/render.ts"),
): string {
  const { said, retired } = story;
  const gone = retired === null ? "no longer in MEMORY.md" : `gone ${shortTime(retired.at)}: ${retired.reason}`;
  return [
    story.fact,
    `  ${renderSource(story)}`,
    ...(said === null ? [] : [`  ${said.name ?? said.role} said: ${said.text.trim().replaceAll(/\s*\n\s*/g, " ")}`]),
    ...story.replaced.map((fact) => `  in place of: ${fact}`),
    ...(story.line === null ? [`  ${gone}`] : [`  MEMORY.md:${story.line}`]),
    ...(retired?.replacedBy ? [`  now: ${retired.replacedBy}`] : []),
    ...story.history.map(
      (event) =>
        `  ${shortTime(event.at)}  ${event.change}  ${event.kind} with ${describeChange({ ...event, of: null })}`,
    ),
  ].join("\n");
}
