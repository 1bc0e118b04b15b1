import { useEffect, useState } from "preact/hooks";
import { Icon } from "../../parts/icons.tsx";
import { countOf } from "../../when.ts";
import type { Moment } from "./moments.ts";

const WIDTH = 1000;
const HEIGHT = 120;
const SHORE = 14;
const STEP_MS = 380;

/** The memory's level from the first day to now; the handle goes back in time. */
export function Tide({
  moments,
  place,
  onMove,
}: {
  moments: readonly Moment[];
  place: number;
  onMove: (place: number) => void;
}) {
  const [isPlaying, setPlaying] = useState(false);
  const last = moments.length - 1;
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (place >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => onMove(place + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, place]);
  const moment = moments[place];
  if (moment === undefined) return null;
  const path = drawLevel(moments, 1);
  const deep = drawLevel(moments, 0.5);
  const edge = (place / Math.max(1, last)) * WIDTH;
  return (
    <section class="tide" aria-label="The memory through time">
      <div class="tide-water">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <defs>
            <clipPath id="tide-past">
              <rect x="0" y="0" width={edge} height={HEIGHT} />
            </clipPath>
          </defs>
          <path class="ebb" d={`${path} L${WIDTH} ${HEIGHT} L0 ${HEIGHT} Z`} />
          <g clip-path="url(#tide-past)">
            <path class="flood" d={`${path} L${WIDTH} ${HEIGHT} L0 ${HEIGHT} Z`} />
            <path class="deep" d={`${deep} L${WIDTH} ${HEIGHT} L0 ${HEIGHT} Z`} />
            <path class="surface" d={path} />
          </g>
        </svg>
        <input
          type="range"
          min={0}
          max={last}
          value={place}
          aria-label="Moment"
          aria-valuetext={`${moment.label}, ${countOf(moment.facts, "fact")}`}
          onInput={(event) => {
            setPlaying(false);
            onMove(event.currentTarget.valueAsNumber);
          }}
        />
      </div>
      <div class="bar tide-words">
        <button
          type="button"
          class="quiet"
          onClick={() => {
            if (!isPlaying && place >= last) onMove(0);
            setPlaying(!isPlaying);
          }}
        >
          <Icon name={isPlaying ? "pause" : "play"} />
          {isPlaying ? "Pause" : "Play from the first day"}
        </button>
        <p class="grow">
          <strong>{moment.label}</strong>
          {` · ${countOf(moment.facts, "fact")}`}
          {moment.added > 0 && <span class="came"> +{moment.added}</span>}
          {moment.removed > 0 && <span class="went"> −{moment.removed}</span>}
        </p>
      </div>
    </section>
  );
}

/** The level as a line that swells from each moment to the next. */
function drawLevel(moments: readonly Moment[], share: number): string {
  const highest = Math.max(1, ...moments.map(({ facts }) => facts));
  const points = moments.map(({ facts }, index) => ({
    x: (index / Math.max(1, moments.length - 1)) * WIDTH,
    y: HEIGHT - share * (SHORE + (facts / highest) * (HEIGHT - 2 * SHORE)),
  }));
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${x} ${y}`;
      const middle = (before.x + x) / 2;
      return `C${middle.toFixed(1)} ${before.y.toFixed(1)} ${middle.toFixed(1)} ${y.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join(" ");
}
