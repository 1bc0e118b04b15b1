import type { FactLine, FactStory } from "../../../server/inspector/fact-shapes.ts";
import { ask } from "../../ask.ts";
import { Quoted } from "../../parts/quoted.tsx";
import { hrefTo } from "../../route.ts";
import { useQuery } from "../../use-query.ts";
import { instantOf, whole } from "../../when.ts";
import { Plain } from "../../words.tsx";

/** A fact's story: the words behind it, and each time that it came and went. */
export function FactDetails({ memory, line }: { memory: string; line: FactLine }) {
  const { fact } = line;
  const story = useQuery(`story ${memory} ${line.line} ${fact}`, (signal) =>
    ask("story", { query: { memory, fact, line: line.line }, signal }),
  );
  if (story.error !== undefined && !story.data) return <p class="failed">{story.error}</p>;
  if (story.data === undefined) return <p class="note">Looking it up…</p>;
  const { said, events } = story.data;
  return (
    <>
      {said && <Quoted said={said} quote={line.quote} session={line.session} message={line.message} />}
      {!said && <p class="note">{unsaid(line)}</p>}
      <p class="meta">
        {line.proof === "quote" && <span class="tag good">quote found in the message</span>}
        {line.proof === "match" && <span class="tag plain">the closest message; no quote</span>}
        {line.name && line.name !== "user" && (
          <span>
            extracted by <Plain text={line.name} />
          </span>
        )}
        {line.change !== null && <a href={hrefTo("timeline", { id: line.change })}>the change that brought it</a>}
      </p>
      {events.length > 1 && <History events={events} fact={fact} />}
    </>
  );
}

function unsaid({ author, cause, session }: FactLine): string {
  if (author === "person") return cause === "edit" ? "It was written into the file by hand." : "You added it yourself.";
  return session === null ? "No message is on record for it." : "The message it came from no longer exists.";
}

function History({ events, fact }: Pick<FactStory, "events" | "fact">) {
  return (
    <div>
      <h3>History</h3>
      <ol class="history">
        {events.map(({ kind, change, at, fact: words, cause }) => (
          <li key={`${change} ${kind} ${words}`} class={kind}>
            <span class="hidden">{kind === "entered" ? "came" : "went"}: </span>
            <span class="sign" aria-hidden="true">
              {kind === "entered" ? "+" : "−"}
            </span>
            <span>
              {words === fact ? <em>in these words</em> : <Plain text={words} />}
              <a class="small" href={hrefTo("timeline", { id: change })}>
                {whenOf(at)}, <Plain text={causeOf(cause)} />
              </a>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function whenOf(at: string): string {
  const instant = instantOf(at);
  return instant ? whole(instant) : at;
}

function causeOf(cause: string): string {
  return CAUSES[cause] ?? cause;
}

const CAUSES: Readonly<Record<string, string>> = {
  digest: "a digest",
  remember: "remembered",
  retire: "retired",
  edit: "an edit",
  undo: "an undo",
  restore: "an earlier state was restored",
  review: "the review",
  tidy: "tidying",
  import: "an import",
  forget: "forgetting",
};
