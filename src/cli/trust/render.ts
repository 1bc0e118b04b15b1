import type { Run } from "../../state/state.ts";
import type { LogEntry } from "../../trust/read-log.ts";
import type { FactStory } from "../../trust/trace.ts";
import { countOf } from "../print.ts";

/** `2026-11-15 09:30`, from a time as it is stored. */
export function shortTime(at: string | null): string {
  return at === null ? "?" : at.slice(0, 16).replace("T", " ");
}

/** A line of the log, and its facts below it. */
export function renderEntry({ at, author, cause, revision, run, added, removed, scope }: LogEntry): string {
  const ids = [revision === null ? "" : `r${revision}`, run?.id ?? ""].filter((id) => id !== "").join(" ");
  const whose = scope === "" ? "" : ` [${scope}]`;
  const stretch = run && run.to > run.from ? `, ${run.session} ${run.from}–${run.to - 1}` : "";
  const model = run === null ? "" : `, ${run.model}`;
  const outcome = run === null || run.outcome === "consolidated" ? "" : ` ${run.outcome}`;
  const reason = run?.reason ? `: ${run.reason}` : "";
  const head = `${shortTime(at)}  ${ids}  ${author}${whose}${outcome} (${cause}${stretch}${model})${reason}`;
  return [head, ...removed.map((fact) => `  - ${fact}`), ...added.map((fact) => `  + ${fact}`)].join("\n");
}

/** Where a fact comes from, in one line. */
export function renderSource(story: FactStory): string {
  const who = story.model === null ? story.author : `${story.author}, ${story.model}`;
  const said = story.message === null ? "" : ` from ${story.session} ${story.message}`;
  const quote = story.quote === null ? "" : ` “${story.quote}”`;
  const proof = story.author === "run" && story.proof === "none" ? " (unproven)" : "";
  const trust = story.isUntrusted ? " UNTRUSTED" : "";
  return `${shortTime(story.at)}  ${story.run ?? "–"}  ${who}${said}${quote}${proof}${trust}`;
}

/** What a run did, for a person. */
export function renderRun(run: Run): string {
  const { kept, added, reworded, retired } = run.counts;
  const stretch = run.to > run.from ? `${run.session} ${run.from}–${run.to - 1}` : run.session || "no session";
  return [
    `Run        ${run.id} (${run.outcome})`,
    `When       ${run.startedAt} to ${run.finishedAt}`,
    `Stretch    ${stretch}, by ${run.cause}`,
    `Model      ${run.model}, ${countOf(run.usage.inputTokens, "token")} in, ${countOf(run.usage.outputTokens, "token")} out`,
    `Facts      ${kept} kept, ${added} added, ${reworded} reworded, ${retired} retired`,
    ...(run.reason === null ? [] : [`Reason     ${run.reason}`]),
  ].join("\n");
}
