import { useEffect, useState } from "preact/hooks";
import { ask } from "../../ask.ts";
import { hrefTo } from "../../route.ts";
import { useQuery } from "../../use-query.ts";
import { dayOf } from "../../when.ts";
import { Plain } from "../../words.tsx";

const TYPING_MS = 250;

/** Where in all the talk these words, or their meaning, were said. */
export function FoundTalk({ words }: { words: string }) {
  const [asked, setAsked] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const query = useQuery(`found ${asked}`, (signal) => ask("explain", { query: { q: asked, limit: 60 }, signal }), []);
  const hits = query.data?.hits.filter(({ session }) => session !== "").slice(0, 12) ?? [];
  return (
    <section class="stack" aria-label="What was said">
      <h2>Said</h2>
      {query.error && <p class="failed">{query.error}</p>}
      {query.data && hits.length === 0 && <p class="note">Nobody said anything like that.</p>}
      <ul class="list">
        {hits.map(({ session, messages, text, date }) => (
          <li key={`${session} ${messages[0]}`}>
            <a class="session-row" href={hrefTo("talk", { session, message: messages[0] })}>
              <span class="two-lines">
                <Plain text={text} />
              </span>
              <span class="meta">
                <Plain text={session} />
                {date && <time dateTime={date}>{dayOf(date)}</time>}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
