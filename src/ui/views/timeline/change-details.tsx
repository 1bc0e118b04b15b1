import type { ChangeLine, ChangeStory } from "../../../server/inspector/change-shapes.ts";
import { ask } from "../../ask.ts";
import { undoChange } from "../../parts/act.ts";
import { DiffBlock } from "../../parts/diff-block.tsx";
import { hrefTo } from "../../route.ts";
import { useQuery } from "../../use-query.ts";
import { number } from "../../when.ts";
import { Page, Plain } from "../../words.tsx";

/** A change whole: the diff, the evidence, what the model wrote, and the way back. */
export function ChangeDetails({ change, isReadOnly }: { change: ChangeLine; isReadOnly: boolean }) {
  const { id } = change;
  const query = useQuery(`change ${id}`, (signal) => ask("change", { params: { id }, signal }), []);
  if (query.error !== undefined && !query.data) return <p class="failed">{query.error}</p>;
  if (query.data === undefined) return <p class="note">Looking it up…</p>;
  const { before, after, evidence, retired, entries, answer, isRejection } = query.data;
  return (
    <>
      <Numbers change={change} />
      {change.reason && (
        <p>
          <Plain text={change.reason} />
        </p>
      )}
      {before !== null && after !== null && <DiffBlock before={before} after={after} />}
      {evidence.length > 0 && <Evidence evidence={evidence} />}
      {retired.length > 0 && (
        <div>
          <h3>Taken out</h3>
          <ul class="plain-list">
            {retired.map(({ fact, reason, replacedBy }) => (
              <li key={fact}>
                <Plain text={fact} />
                <span class="small">
                  {" "}
                  <Plain text={replacedBy === null ? reason : `now: ${replacedBy}`} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {entries.length > 0 && (
        <div>
          <h3>What it wrote down</h3>
          {entries.map(({ file, text }) => (
            <div class="entry" key={file}>
              <Page text={text} />
              <a class="small" href={hrefTo("memory", { memory: change.memory, file })}>
                {file}
              </a>
            </div>
          ))}
        </div>
      )}
      {answer !== null && <ModelSaid answer={answer} model={change.name} />}
      <div class="bar">
        {isRejection && !isReadOnly && (
          <button type="button" onClick={() => void undoChange(id)}>
            Return it to the review
          </button>
        )}
        {change.hasText && !isReadOnly && (
          <button type="button" onClick={() => void undoChange(id)}>
            Undo this change
          </button>
        )}
        {change.kind === "held" && (
          <a class="button" href={hrefTo("review")}>
            Decide it
          </a>
        )}
        {change.session !== null && (
          <a class="button" href={hrefTo("talk", { session: change.session })}>
            Open the conversation
          </a>
        )}
      </div>
    </>
  );
}

/** The model's own words: what it proposed, before anything was checked. */
function ModelSaid({ answer, model }: { answer: NonNullable<ChangeStory["answer"]>; model: string }) {
  return (
    <details class="answer">
      <summary>
        What <Plain text={model} /> answered
      </summary>
      <p class="note">As received, without its reasoning; secrets are masked. The outcome is above.</p>
      {answer.text !== "" && (
        <pre dir="auto" tabIndex={0}>
          <Plain text={answer.text} />
        </pre>
      )}
      {answer.calls.map(({ name, input }, index) => (
        <div key={index}>
          <h3>
            <Plain text={name} />
          </h3>
          {partsOf(input).map(([title, words]) => (
            <div key={title} class="answer-part">
              {title !== "" && <h4>{title}</h4>}
              <pre dir="auto" tabIndex={0}>
                <Plain text={words} />
              </pre>
            </div>
          ))}
        </div>
      ))}
    </details>
  );
}

/** The arguments of a call one by one, so that their lines are lines; the whole as it came where it is no object. */
function partsOf(input: string): [string, string][] {
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [["", input]];
    return Object.entries(value).map(([name, each]: [string, unknown]) => [
      name,
      typeof each === "string" ? each : JSON.stringify(each, undefined, 2),
    ]);
  } catch (error) {
    if (error instanceof SyntaxError) return [["", input]];
    throw error;
  }
}

const WHY_NOW: Readonly<Record<string, string>> = {
  all: ", on request",
  compact: ", on request",
  count: ", when enough had been said",
  tokens: ", when the context filled up",
  idle: ", when the talk had paused",
  new: ", when the session ended",
  hook: ", at the client's request",
};

function Numbers({ change: { name, usage, cost, from, to, counts, trigger } }: { change: ChangeLine }) {
  const isAsked = usage.inputTokens + usage.outputTokens > 0;
  return (
    <p class="meta">
      <span>
        by <Plain text={name === "user" ? "you" : name} />
      </span>
      {to > from && <span>{`messages ${from + 1} to ${to}${WHY_NOW[trigger ?? ""] ?? ""}`}</span>}
      {to > from && (
        <span>{`${counts.kept} kept, ${counts.added} added, ${counts.reworded} reworded, ${counts.retired} retired`}</span>
      )}
      {isAsked && (
        <span>{`${number(usage.inputTokens)} tokens in (${number(usage.cachedTokens)} cached), ${number(usage.outputTokens)} out`}</span>
      )}
      {isAsked && cost !== null && <span>cost {number(cost, 5)}</span>}
    </p>
  );
}

function Evidence({ evidence }: Pick<ChangeStory, "evidence">) {
  return (
    <div>
      <h3>Evidence</h3>
      <ul class="plain-list">
        {evidence.map(({ fact, quote, session, message, proof, isUntrusted }) => (
          <li key={fact}>
            <Plain text={fact} />
            {quote !== null && (
              <blockquote class="quote" dir="auto">
                <Plain text={quote} />
              </blockquote>
            )}
            <span class="meta">
              {session !== null && message !== null && (
                <a href={hrefTo("talk", { session, message })}>
                  in <Plain text={session} />
                </a>
              )}
              {proof === "match" && <span class="tag plain">likely source</span>}
              {proof === "none" && <span class="tag warn">unproven</span>}
              {isUntrusted && <span class="tag warn">from outside</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
