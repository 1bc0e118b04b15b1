import { useState } from "preact/hooks";
import { ask } from "../../ask.ts";
import { act } from "../../parts/act.ts";
import { DiffBlock } from "../../parts/diff-block.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { useQuery } from "../../use-query.ts";
import { countOf } from "../../when.ts";
import { Plain, Words } from "../../words.tsx";
import type { Moment } from "./moments.ts";

interface Props {
  moments: readonly Moment[];
  place: number;
  isReadOnly: boolean;
  onNow: () => void;
}

/** The memory as it was, or what changed from then to a later moment. */
export function PastFacts({ moments, place, isReadOnly, onNow }: Props) {
  const [shows, setShows] = useState<"facts" | "changes">("facts");
  const [later, setLater] = useState(moments.length - 1);
  const moment = moments[place];
  const until = moments[Math.max(later, place)] ?? moment;
  const then = usePastState(moment?.change ?? "");
  const other = usePastState(until?.change ?? "");
  if (moment === undefined || until === undefined) return null;
  const restore = (): void => {
    void act(
      () => ask("restore", { params: { id: moment.change }, body: {} }),
      ({ kind, undo }) => ({
        text: kind === "restored" ? `Memory is as it was: ${moment.label}.` : "It is already like that.",
        undo,
      }),
    ).then((result) => result && onNow());
  };
  return (
    <>
      <div class="bar past">
        <div class="chips" role="group" aria-label="Show">
          <button type="button" aria-pressed={shows === "facts"} onClick={() => setShows("facts")}>
            As it was
          </button>
          <button type="button" aria-pressed={shows === "changes"} onClick={() => setShows("changes")}>
            What has changed since
          </button>
        </div>
        <span class="grow" />
        {!isReadOnly && (
          <button type="button" onClick={restore}>
            Restore this state
          </button>
        )}
        <button type="button" class="primary" onClick={onNow}>
          Back to now
        </button>
      </div>
      {shows === "changes" && (
        <label class="field">
          Up to: {until.label}
          <input
            type="range"
            min={place}
            max={moments.length - 1}
            value={Math.max(later, place)}
            aria-valuetext={until.label}
            onInput={(event) => setLater(event.currentTarget.valueAsNumber)}
          />
        </label>
      )}
      {(then.error ?? other.error) && <p class="failed">{then.error ?? other.error}</p>}
      {shows === "changes" && then.data && other.data && <DiffBlock before={then.data.text} after={other.data.text} />}
      {shows === "facts" && then.data && (
        <VirtualList
          items={then.data.facts.map((fact, index) => ({ ...fact, key: `${index}` }))}
          keyOf={({ key }) => key}
          guess={() => 52}
          label={`${countOf(then.data.facts.length, "fact")} on ${moment.label}`}
          render={({ fact, under }, index) => (
            <>
              {under.join("\n") !== then.data?.facts[index - 1]?.under.join("\n") && under.length > 0 && (
                <h2 class="heading">
                  <Plain text={under.at(-1) ?? ""} />
                </h2>
              )}
              <p class="fact past-fact">
                <Words text={fact} />
              </p>
            </>
          )}
        />
      )}
    </>
  );
}

function usePastState(id: string) {
  return useQuery(`state ${id}`, (signal) => ask("state", { params: { id }, signal }), []);
}
