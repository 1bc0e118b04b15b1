import { useMemo, useState } from "preact/hooks";
import type { SessionLine } from "../../server/inspector/talk-shapes.ts";
import type { ViewProps } from "../app.tsx";
import { ask } from "../ask.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { hrefTo } from "../route.ts";
import { useQuery } from "../use-query.ts";
import { countOf, instantOf, number, shortDay } from "../when.ts";
import { Plain } from "../words.tsx";
import { FoundTalk } from "./talk/found-talk.tsx";
import { TranscriptPage } from "./talk/transcript-page.tsx";

/** What was said: the sessions, and one of them whole. */
export function TalkView({ route }: ViewProps) {
  const { session, archive, message } = route.rest;
  const query = useQuery("talk", (signal) => ask("talk", { signal }), ["talk", "records"]);
  const [filter, setFilter] = useState("");
  const sessions = query.data?.sessions;
  const shown = useMemo(() => (sessions ?? []).filter((line) => isMeant(line, filter)), [sessions, filter]);
  if (query.error !== undefined && !sessions) return <p class="failed">{query.error}</p>;
  if (sessions === undefined) return <p class="note">Reading…</p>;
  if (sessions.length === 0) {
    return <p class="empty">No conversations yet. Start with `tidemark chat`, or connect your agent.</p>;
  }
  return (
    <div class={session === undefined ? "talk-panes list-only" : "talk-panes"}>
      <div class="talk-list stack">
        <label>
          <span class="hidden">Find a session, or words that were said</span>
          <input
            type="search"
            class="wide"
            placeholder="Find a session or words"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <VirtualList
          items={shown}
          keyOf={(line) => `${line.session} ${line.archive}`}
          guess={() => 76}
          label={countOf(shown.length, "session")}
          render={(line) => (
            <SessionRow line={line} isCurrent={line.session === session && (line.archive ?? undefined) === archive} />
          )}
        />
        {filter.trim().length > 2 && <FoundTalk words={filter.trim()} />}
        {query.data?.unreadable.map((reason) => (
          <p class="failed" key={reason}>
            <Plain text={reason} />
          </p>
        ))}
      </div>
      {session === undefined ? (
        <p class="empty talk-hint">Choose a session. The tide mark shows how far it has been digested.</p>
      ) : (
        <TranscriptPage key={`${session} ${archive}`} session={session} archive={archive} message={message} />
      )}
    </div>
  );
}

function SessionRow({ line, isCurrent }: { line: SessionLine; isCurrent: boolean }) {
  const at = instantOf(line.updatedAt);
  const waiting = line.messages - line.cursor;
  const share = line.messages === 0 ? 0 : line.cursor / line.messages;
  return (
    <a
      class="session-row"
      href={hrefTo("talk", { session: line.session, archive: line.archive ?? undefined })}
      aria-current={isCurrent ? "true" : undefined}
    >
      <strong>
        <Plain text={line.title || (line.messages === 0 ? "Nothing said yet" : line.session)} />
      </strong>
      <span class="meta">
        <Plain text={line.session} />
        {at && <time dateTime={at.toISOString()}>{shortDay(at)}</time>}
        <span>{number(line.messages)} messages</span>
        {line.archive !== null && <span class="tag plain">ended</span>}
        {waiting > 0 && <span>{number(waiting)} not digested</span>}
      </span>
      <span class="level" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </a>
  );
}

function isMeant({ session, title }: SessionLine, filter: string): boolean {
  const text = `${session} ${title}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
