import type { ChangeHead } from "../../history/change.ts";
import type { LogEntry } from "../../trust/read-log.ts";
import type { FactStory } from "../../trust/trace.ts";
import { countOf } from "../print.ts";

/** `2026-11-15 09:30`, from a time as it is stored. */
export function shortTime(at: string | null): string {
  return at === null ? "?" : at.slice(0, 16).replace("T", " ");
}

/** A line of the log, and its facts below it. */
export function renderEntry(entry: LogEntry): string {
  const { at, id, author, by, scope, outcome: result, reason: why, added, removed } = entry;
  const whose = scope === "" ? "" : ` [${scope}]`;
  const outcome = result === "consolidated" ? "" : ` ${result}`;
  const reason = why === null ? "" : `: ${why}`;
  const what = [causeOf(entry), stretchOf(entry), by === "user" ? "" : by].filter((part) => part !== "").join(", ");
  const head = `${shortTime(at)}  ${id}  ${author}${whose}${outcome} (${what})${reason}`;
  return [head, ...removed.map((fact) => `  - ${fact}`), ...added.map((fact) => `  + ${fact}`)].join("\n");
}

/** What a change was made for, with the change that it is about. */
export function causeOf({ cause, trigger, of }: Pick<ChangeHead, "cause" | "trigger" | "of">): string {
  return `${cause}${of === null ? "" : ` of ${of}`}${trigger === null ? "" : ` by ${trigger}`}`;
}

function stretchOf({ session, from, to }: ChangeHead): string {
  return to > from ? `${session} ${from}–${to - 1}` : session;
}

/** Where a fact comes from, in one line. */
export function renderSource(story: FactStory): string {
  const who = story.by === null || story.by === "user" ? story.author : `${story.author}, ${story.by}`;
  const said = story.message === null ? "" : ` from ${story.session} ${story.message}`;
  const quote = story.quote === null ? "" : ` “${story.quote}”`;
  const isDrawn = story.author === "model" || story.author === "rules";
  const proof = isDrawn && story.proof === "none" ? " (unproven)" : "";
  const trust = story.isUntrusted ? " UNTRUSTED" : "";
  return `${shortTime(story.at)}  ${story.change ?? "–"}  ${who}${said}${quote}${proof}${trust}`;
}

/** What a change did, for a person. */
export function renderChange(change: ChangeHead): string {
  const { kept, added, reworded, retired } = change.counts;
  const { inputTokens, outputTokens } = change.usage;
  return [
    `Change     ${change.id} (${change.outcome}), ${causeOf(change)}`,
    `When       ${change.startedAt} to ${change.at}`,
    `Who        ${change.author}, ${change.by}`,
    `Session    ${stretchOf(change) || "none"}`,
    ...(inputTokens + outputTokens > 0
      ? [`Tokens     ${countOf(inputTokens, "token")} in, ${countOf(outputTokens, "token")} out`]
      : []),
    `Facts      ${kept} kept, ${added} added, ${reworded} reworded, ${retired} retired`,
    ...(change.reason === null ? [] : [`Reason     ${change.reason}`]),
  ].join("\n");
}
