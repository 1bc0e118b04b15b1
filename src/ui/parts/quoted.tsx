import { hrefTo } from "../route.ts";
import { shorten, showPlain } from "../../visible-text.ts";
import { instantOf, whole } from "../when.ts";
import { Plain } from "../words.tsx";

interface Props {
  said: { role: string; name: string | null; at: string | null; text: string };
  quote: string | null;
  session: string | null;
  message: string | null;
}

const LONGEST = 1200;

/** What was said, with the words that count, and the way to the talk around it. */
export function Quoted({ said, quote, session, message }: Props) {
  const at = instantOf(said.at);
  const text = showPlain(shorten(said.text, LONGEST));
  return (
    <figure class="quoted">
      <blockquote class="quote" dir="auto">
        {marked(text, quote === null ? "" : showPlain(quote))}
      </blockquote>
      <figcaption class="meta">
        <span>{said.role === "user" ? "said" : `by ${said.role === "tool" ? "a tool" : "the assistant"}`}</span>
        {session !== null && (
          <a href={hrefTo("talk", { session, message: message ?? undefined })}>
            in <Plain text={session} />
          </a>
        )}
        {at && <time dateTime={at.toISOString()}>{whole(at)}</time>}
      </figcaption>
    </figure>
  );
}

function marked(text: string, quote: string) {
  const start = quote === "" ? -1 : text.indexOf(quote);
  if (start < 0) return text;
  return (
    <>
      {text.slice(0, start)}
      <mark>{quote}</mark>
      {text.slice(start + quote.length)}
    </>
  );
}
