import { useMemo, useState } from "preact/hooks";
import type { MemoryMap } from "../../server/inspector/memory-map.ts";
import type { ViewProps } from "../app.tsx";
import { ask } from "../ask.ts";
import { hrefTo } from "../route.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useQuery } from "../use-query.ts";
import { countOf } from "../when.ts";
import { Plain } from "../words.tsx";
import { layOut } from "./map/lay-out.ts";

const WIDTH = 1000;
const HEIGHT = 640;
const KINDS = { person: "people", place: "places", thing: "things" } as const;

/** Whom and what the facts speak of, and which facts tie them. */
export function MapView({ route }: ViewProps) {
  const memory = route.rest["memory"] ?? "";
  const query = useQuery(`map ${memory}`, (signal) => ask("map", { query: { memory }, signal }));
  const [chosen, setChosen] = useState<string>();
  if (query.error !== undefined && !query.data) return <p class="failed">{query.error}</p>;
  if (query.data === undefined) return <p class="note">Drawing…</p>;
  const map = query.data;
  if (map.names.length === 0) {
    return <p class="empty">No names yet. People, places and things appear here as soon as facts mention them.</p>;
  }
  const place = map.names.findIndex(({ name }) => name === chosen);
  return (
    <>
      <p class="note">
        {countOf(map.names.length, "name")} in {countOf(map.facts.length, "fact")}, found by rules. Choose one to see
        what is believed about it.
      </p>
      <div class="map-panes">
        <Drawing map={map} place={place} onChoose={(index) => setChosen(map.names[index]?.name)} />
        <Names memory={memory} map={map} place={place} onChoose={(index) => setChosen(map.names[index]?.name)} />
      </div>
    </>
  );
}

interface Props {
  map: MemoryMap;
  place: number;
  onChoose: (index: number) => void;
}

/** The same is in the list beside it, for those who cannot see it or use no pointer. */
function Drawing({ map, place, onChoose }: Props) {
  const points = useMemo(() => layOut(map, WIDTH, HEIGHT), [map]);
  const near = new Set(map.ties.flatMap(({ one, other }) => (one === place ? [other] : other === place ? [one] : [])));
  const isFaded = (index: number) => place >= 0 && index !== place && !near.has(index);
  return (
    <svg class="map-drawing" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {map.ties.map(({ one, other, facts }) => {
        const from = points[one];
        const to = points[other];
        if (from === undefined || to === undefined) return null;
        const isLit = one === place || other === place;
        return (
          <line
            key={`${one} ${other}`}
            class={isLit ? "tie lit" : place >= 0 ? "tie faded" : "tie"}
            x1={from.x}
            y1={from.y}
            x2={to.x}
            y2={to.y}
            stroke-width={Math.min(4, 1 + facts.length * 0.5)}
          />
        );
      })}
      {map.names.map(({ name, kind, facts }, index) => {
        const point = points[index];
        if (point === undefined) return null;
        return (
          <g
            key={name}
            class={`name ${kind}${index === place ? " lit" : ""}${isFaded(index) ? " faded" : ""}`}
            onClick={() => onChoose(index)}
          >
            <circle cx={point.x} cy={point.y} r={radiusOf(facts.length)} />
            <text x={point.x} y={point.y + radiusOf(facts.length)} dy="1em" text-anchor={anchorAt(point.x)}>
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** Names near an edge are written towards the middle. */
function anchorAt(x: number): "start" | "middle" | "end" {
  if (x > WIDTH * 0.9) return "end";
  return x < WIDTH * 0.1 ? "start" : "middle";
}

function radiusOf(facts: number): number {
  return 6 + Math.min(16, Math.sqrt(facts) * 4);
}

function Names({ memory, map, place, onChoose }: Props & { memory: string }) {
  return (
    <div class="map-names stack">
      {place >= 0 && (
        <section class="card" aria-live="polite">
          <h2>
            <Plain text={map.names[place]?.name ?? ""} />
          </h2>
          <VirtualList
            items={map.names[place]?.facts ?? []}
            label={`Facts about ${map.names[place]?.name ?? ""}`}
            keyOf={(index) => String(index)}
            guess={() => 44}
            render={(index) => {
              const fact = map.facts[index] ?? "";
              return (
                <a class="fact-link" href={hrefTo("memory", { memory, fact })}>
                  <Plain text={fact} />
                </a>
              );
            }}
          />
        </section>
      )}
      {Object.entries(KINDS).map(([kind, title]) => {
        const inKind = map.names.flatMap((name, index) => (name.kind === kind ? [{ ...name, index }] : []));
        if (inKind.length === 0) return null;
        return (
          <section key={kind} aria-label={title}>
            <h2 class={`kind ${kind}`}>{title}</h2>
            <div class="chips">
              {inKind.map(({ name, index, facts }) => (
                <button key={name} type="button" aria-pressed={index === place} onClick={() => onChoose(index)}>
                  <Plain text={name} /> <span class="small">{facts.length}</span>
                </button>
              ))}
            </div>
          </section>
        );
      })}
    </div>
  );
}
