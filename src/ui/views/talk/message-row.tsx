import type { TalkLine } from "../../../server/inspector/talk-shapes.ts";
import { hrefTo } from "../../route.ts";
import { clock, instantOf } from "../../when.ts";
import { Page, Plain } from "../../words.tsx";

interface Props {
  line: TalkLine;
  /** What the tools answered that it called. */
  results: readonly TalkLine[];
  isDigested: boolean;
  isWanted: boolean;
}

/** One message: the words, what tools did for it, and the facts that it became. */
export function MessageRow({ line, results, isDigested, isWanted }: Props) {
  const at = instantOf(line.at);
  const facts = [...line.facts, ...results.flatMap((result) => result.facts)];
  return (
    <div class={`message ${line.role}${isDigested ? " digested" : ""}${isWanted ? " wanted" : ""}`}>
      <article class="bubble">
        <p class="meta">
          <strong>
            <Plain text={line.name ?? ROLES[line.role] ?? line.role} />
          </strong>
          {at && <time dateTime={at.toISOString()}>{clock(at)}</time>}
        </p>
        {line.role === "assistant" ? <Page text={line.text} /> : line.text !== "" && <Plain text={line.text} as="p" />}
        {line.pictures.map((path) => (
          <img
            key={path}
            src={`/api/pictures?path=${encodeURIComponent(path)}`}
            alt="Said with this message"
            loading="lazy"
          />
        ))}
        {line.calls.map((call) => (
          <details key={call.id} class="call">
            <summary>
              <code>
                <Plain text={call.name} />
              </code>
            </summary>
            <h3>Asked</h3>
            <Plain text={pretty(call.arguments)} as="pre" />
            {results
              .filter(({ answers }) => answers === call.id)
              .map((result) => (
                <div key={result.id}>
                  <h3>Answered</h3>
                  <Plain text={result.text} as="pre" />
                </div>
              ))}
          </details>
        ))}
      </article>
      {facts.length > 0 && (
        <div class="became" role="group" aria-label="Facts that this became">
          <ul>
            {facts.map(({ fact, isPresent }) => (
              <li key={fact} class={isPresent ? "" : "gone"}>
                {isPresent ? (
                  <a href={hrefTo("memory", { fact })}>
                    <Plain text={fact} />
                  </a>
                ) : (
                  <>
                    <del>
                      <Plain text={fact} />
                    </del>
                    <span class="hidden"> (no longer believed)</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

const ROLES: Readonly<Record<string, string>> = {
  user: "Said",
  assistant: "Assistant",
  tool: "Tool",
  system: "System",
};

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
