import { Fragment } from "preact";
import type { Explained, ExplainedHit } from "../../../server/inspector/hit-shapes.ts";
import { ask } from "../../ask.ts";
import { hrefTo } from "../../route.ts";
import { useQuery } from "../../use-query.ts";
import { countOf, dayOf, number } from "../../when.ts";
import { Plain } from "../../words.tsx";

/** Weights to be tried. */
export interface Setting {
  vectorWeight: number;
  fusion: "weighted" | "rrf";
}

interface Props {
  title: string | undefined;
  question: string;
  filters: Readonly<Record<string, string | undefined>>;
  setting?: Setting;
}

const MODES = { hybrid: "by words and meaning", keyword: "by words only", vector: "by meaning only" } as const;

/** What a question finds under one setting. */
export function HitList({ title, question, filters, setting }: Props) {
  const { since, until, project, session, origin } = filters;
  const query = useQuery(
    `explain ${question} ${JSON.stringify(filters)} ${JSON.stringify(setting)}`,
    (signal) =>
      ask("explain", {
        query: {
          q: question,
          since,
          until,
          project,
          session,
          ...setting,
          ...(origin === "trusted" || origin === "outside" ? { origin } : {}),
        },
        signal,
      }),
    ["memory", "talk"],
  );
  const answer = query.data;
  return (
    <section class="stack" aria-label={title ?? "Hits"}>
      {title !== undefined && <h2>{title}</h2>}
      {query.error !== undefined && !answer && <p class="failed">{query.error}</p>}
      {answer === undefined && query.error === undefined && <p class="note">Searching…</p>}
      {answer && (
        <p class="note" role="status">
          {`${countOf(answer.hits.length, "hit")} in ${number(answer.ms)} ms, ${MODES[answer.mode]}`}
          {answer.isStale && "; the index is behind the files"}
        </p>
      )}
      {answer?.notes.map((note) => (
        <p class="small" key={note}>
          <Plain text={note} />
        </p>
      ))}
      {answer?.hits.length === 0 && (
        <p class="empty">Nothing on record mentions this. Try other words, or fewer filters.</p>
      )}
      <ol class="stack">
        {answer?.hits.map((hit, index) => (
          <li key={`${hit.path} ${hit.startLine} ${hit.messages[0] ?? ""} ${index}`}>
            <Hit hit={hit} answer={answer} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Hit({ hit, answer }: { hit: ExplainedHit; answer: Explained }) {
  return (
    <article class="card hit">
      <p class="hit-words">
        <Plain text={hit.text.replace(/^[-*+]\s+/, "")} />
      </p>
      <p class="meta">
        <a href={placeOf(hit)}>
          <Plain text={hit.session === "" ? hit.path : hit.session} />
        </a>
        {hit.date && <time dateTime={hit.date}>{dayOf(hit.date)}</time>}
        {hit.heading !== "" && (
          <span>
            <Plain text={hit.heading} />
          </span>
        )}
        {hit.speaker !== "" && (
          <span>
            by <Plain text={hit.speaker} />
          </span>
        )}
        {hit.isUntrusted && <span class="tag warn">from outside</span>}
      </p>
      {hit.parts && (
        <Parts parts={hit.parts} score={hit.score} best={answer.hits[0]?.score ?? 1} weights={answer.weights} />
      )}
    </article>
  );
}

interface PartsProps {
  parts: NonNullable<ExplainedHit["parts"]>;
  score: number;
  best: number;
  weights: Explained["weights"];
}

/** How much of the score came by words and how much by meaning, and what raised or lowered both. */
function Parts({ parts, score, best, weights }: PartsProps) {
  const byWords = parts.keyword * weights.words;
  const byMeaning = parts.vector * weights.meaning;
  const share = byWords / (byWords + byMeaning || 1);
  const factors = [
    ["the question names who speaks", parts.speaker],
    ["whose voice it is", parts.voice],
    ["its time is asked for", parts.period],
    ["its age", parts.age],
    ["whether it says something, or only asks", parts.kind],
    ["a closer look at the passage", parts.learned],
  ] as const;
  return (
    <details class="parts">
      <summary>
        <span class="score">{number(score, 3)}</span>
        <span class="bars" aria-hidden="true">
          <span class="by-words" style={{ width: `${(score / best) * share * 100}%` }} />
          <span class="by-meaning" style={{ width: `${(score / best) * (1 - share) * 100}%` }} />
        </span>
        <span class="hidden">Parts of the score</span>
      </summary>
      <dl>
        <dt>
          <span class="swatch by-words" aria-hidden="true" /> {number(score * share, 3)}
        </dt>
        <dd>{`by words: ${number(parts.keyword, 2)} of the best, weight ${number(weights.words, 2)} (its own BM25 ${number(parts.bm25, 2)})`}</dd>
        <dt>
          <span class="swatch by-meaning" aria-hidden="true" /> {number(score * (1 - share), 3)}
        </dt>
        <dd>{`by meaning: ${number(parts.vector, 2)} of the best, weight ${number(weights.meaning, 2)}${parts.cosine === null ? "" : ` (cosine ${number(parts.cosine, 3)})`}`}</dd>
        {factors
          .filter(([, factor]) => factor !== 1)
          .map(([name, factor]) => (
            <Fragment key={name}>
              <dt>× {number(factor, 2)}</dt>
              <dd>{name}</dd>
            </Fragment>
          ))}
      </dl>
    </details>
  );
}

function placeOf({ session, messages, path, text }: ExplainedHit): string {
  if (session !== "") return hrefTo("talk", { session, message: messages[0] });
  const file = /^memory\/(?:scopes\/([^/]+)\/)?([^/]+\.md)$/.exec(path);
  if (file === null) return hrefTo("search", { q: text.slice(0, 80), project: path.split("/")[1] });
  return hrefTo("memory", {
    memory: file[1],
    file: file[2],
    ...(file[2] === "MEMORY.md" ? { fact: text.replace(/^[-*+]\s+/, "") } : {}),
  });
}
