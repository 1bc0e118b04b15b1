import type { ChangeHead } from "../../history/change.ts";
import type { LogEntry } from "../../trust/read-log.ts";
import type { FactStory, WhyStory } from "../../trust/trace.ts";
import { countOf } from "../print.ts";

/** `2026-11-15 09:30`, from a time as it is stored. */
function shortTime(at: string | null): string {
  return at === null ? "?" : at.slice(0, 16).replace("T", " ");
}

/** A line of the log, and its facts below it. */
export function renderEntry(entry: LogEntry): string {
  const { at, id, scope, outcome: result, reason: why, added, removed } = entry;
  const stretch = stretchOf(entry);
  const about = [...(stretch === "" ? [] : [stretch]), ...(scope === "" ? [] : [`memory of ${scope}`])];
  const outcome = result === "consolidated" ? "" : `: ${result}`;
  const reason = why === null ? "" : `: ${why}`;
  const head = `${shortTime(at)}  ${id}  ${[describeChange(entry), ...about].join(", ")}${outcome}${reason}`;
  return [head, ...removed.map((fact) => `  - ${fact}`), ...added.map((fact) => `  + ${fact}`)].join("\n");
}

/** What a change was, of which other one, by whom, and what set it off. */
function describeChange(change: Pick<ChangeHead, "cause" | "trigger" | "of" | "author" | "by">): string {
  const { cause, trigger, of } = change;
  return `${cause}${of === null ? "" : ` of ${of}`} by ${whoOf(change)}${trigger === null ? "" : ` (${trigger})`}`;
}

function whoOf({ author, by }: { author: string; by: string | null }): string {
  return author === "person" || author === "rules" || by === null ? author : by;
}

function stretchOf({ session, from, to }: ChangeHead): string {
  return to > from ? `${session} ${from}–${to - 1}` : session;
}

/** Where a fact comes from, in one line. */
export function renderSource(story: FactStory): string {
  const said = story.message === null ? "" : ` from ${story.session} ${story.message}`;
  const quote = story.quote === null ? "" : ` “${story.quote}”`;
  const isDrawn = story.author === "model" || story.author === "rules";
  const proof = isDrawn && story.proof === "none" ? " (unproven)" : "";
  const trust = story.isUntrusted ? " UNTRUSTED" : "";
  return `${shortTime(story.at)}  ${story.change ?? "–"}  ${story.cause ?? "written"} by ${whoOf(story)}${said}${quote}${proof}${trust}`;
}

/** What a change did, for a person. */
export function renderChange(change: ChangeHead): string {
  const { kept, added, reworded, retired } = change.counts;
  const { inputTokens, outputTokens } = change.usage;
  return [
    `Change     ${change.id}: ${describeChange(change)}`,
    `Outcome    ${change.outcome}`,
    `When       ${change.startedAt} to ${change.at}`,
    `Session    ${stretchOf(change) || "none"}`,
    ...(inputTokens + outputTokens > 0
      ? [`Tokens     ${countOf(inputTokens, "token")} in, ${countOf(outputTokens, "token")} out`]
      : []),
    `Facts      ${kept} kept, ${added} added, ${reworded} reworded, ${retired} retired`,
    ...(change.reason === null ? [] : [`Reason     ${change.reason}`]),
  ].join("\n");
}

/** A fact's whole story, for a person. */
export function renderStory(story: WhyStory): string {
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
