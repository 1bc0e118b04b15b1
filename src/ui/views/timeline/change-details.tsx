import type { ChangeLine, ChangeStory } from "../../../server/inspector/shapes.ts";
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
  const { before, after, evidence, retired, entries } = query.data;
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
      <div class="bar">
        {change.revision !== null && !isReadOnly && (
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
            Open the talk
          </a>
        )}
      </div>
    </>
  );
}

function Numbers({ change: { model, usage, cost, from, to, counts, cause } }: { change: ChangeLine }) {
  const isAsked = usage !== null && usage.inputTokens + usage.outputTokens > 0;
  return (
    <p class="meta">
      {model !== null && (
        <span>
          by <Plain text={model === "user" ? "you" : model} />
        </span>
      )}
      {to > from && <span>{`messages ${from + 1} to ${to}, because of: ${cause}`}</span>}
      {to > from && counts && (
        <span>{`${counts.kept} kept, ${counts.added} added, ${counts.reworded} reworded, ${counts.retired} retired`}</span>
      )}
      {isAsked && (
        <span>{`${number(usage.inputTokens)} tokens in (${number(usage.cachedTokens)} cached), ${number(usage.outputTokens)} out`}</span>
      )}
      {isAsked && cost !== null && <span>{number(cost, 5)} in money</span>}
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
              {proof === "none" && <span class="tag warn">not borne out</span>}
              {isUntrusted && <span class="tag warn">from outside</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
