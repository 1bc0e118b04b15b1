import { useMemo, useState } from "preact/hooks";
import type { ViewProps } from "../app.tsx";
import { ask } from "../ask.ts";
import { goTo } from "../route.ts";
import { useQuery } from "../use-query.ts";
import { instantOf, shortDay } from "../when.ts";
import { AddFact } from "./memory/add-fact.tsx";
import { FactList } from "./memory/fact-list.tsx";
import { NotePage } from "./memory/note-page.tsx";
import { PastFacts } from "./memory/past-facts.tsx";
import { momentsOf } from "./memory/moments.ts";
import { Tide } from "./memory/tide.tsx";

/** What is believed: now, and at any moment since the first day. */
export function MemoryView({ frame, route }: ViewProps) {
  const memory = route.rest["memory"] ?? "";
  const file = route.rest["file"] ?? "MEMORY.md";
  const [then, setThen] = useState<string>();
  const [filter, setFilter] = useState(route.rest["filter"] ?? "");
  const states = useQuery(`states ${memory}`, (signal) => ask("states", { query: { memory }, signal }));
  const files = useQuery(`files ${memory}`, (signal) => ask("files", { query: { memory }, signal }));
  const moments = useMemo(() => momentsOf(states.data?.states ?? [], new Date()), [states.data]);
  const found = moments.findIndex(({ key }) => key === then);
  const place = found < 0 ? moments.length - 1 : found;
  const isNow = place === moments.length - 1;
  const moment = moments[place];
  const notes = files.data?.files.filter(({ kind }) => kind === "note") ?? [];
  const open = (name: string): void => goTo("memory", { memory, file: name });
  return (
    <>
      <div class="chips">
        {frame.memories.length > 1 && (
          <label>
            <span class="hidden">Whose memory</span>
            <select value={memory} onChange={(event) => goTo("memory", { memory: event.currentTarget.value })}>
              {frame.memories.map((each) => (
                <option key={each.memory} value={each.memory}>
                  {each.name || "Shared memory"}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="button" aria-pressed={file === "MEMORY.md"} onClick={() => open("MEMORY.md")}>
          Facts
        </button>
        <button type="button" aria-pressed={file === "HISTORY.md"} onClick={() => open("HISTORY.md")}>
          Diary
        </button>
        {notes.length > 0 && (
          <label>
            <span class="hidden">Dated notes</span>
            <select
              value={notes.some((note) => note.file === file) ? file : ""}
              onChange={(event) => event.currentTarget.value && open(event.currentTarget.value)}
            >
              <option value="">Notes ({notes.length})</option>
              {notes.map((note) => (
                <option key={note.file} value={note.file}>
                  {nameOfNote(note.file)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {file !== "MEMORY.md" && <NotePage memory={memory} file={file} />}
      {file === "MEMORY.md" && (
        <>
          {moments.length > 1 && (
            <Tide moments={moments} place={place} onMove={(next) => setThen(moments[next]?.key)} />
          )}
          {!isNow && moment && (
            <PastFacts moments={moments} place={place} isReadOnly={frame.isReadOnly} onNow={() => setThen(undefined)} />
          )}
          {isNow && (
            <>
              <div class="bar">
                <label class="grow">
                  <span class="hidden">Show facts with these words</span>
                  <input
                    type="search"
                    class="wide"
                    placeholder="Words of a fact"
                    value={filter}
                    onInput={(event) => setFilter(event.currentTarget.value)}
                  />
                </label>
                {!frame.isReadOnly && <AddFact memory={memory} />}
              </div>
              <FactList memory={memory} filter={filter} isReadOnly={frame.isReadOnly} wanted={route.rest["fact"]} />
            </>
          )}
        </>
      )}
    </>
  );
}

/** `2026-11-05-lin-mei-arrival.md` as `5 Nov: lin mei arrival`. */
function nameOfNote(file: string): string {
  const [, day = "", slug = ""] = /^(\d{4}-\d{2}-\d{2})-?(.*)\.md$/.exec(file) ?? [];
  const at = instantOf(`${day}T12:00`);
  if (at === undefined) return file;
  return slug === "" ? shortDay(at) : `${shortDay(at)}: ${slug.replaceAll("-", " ")}`;
}
