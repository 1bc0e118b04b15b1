import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Health } from "../../../server/inspector/health-shapes.ts";
import { countOf, dayKey, number, shortDay } from "../../when.ts";
import { Plain } from "../../words.tsx";

type Spend = Health["spend"];
const COLOURS = ["--sea", "--sand", "--mid", "--removed", "--added"];
const HEIGHT = 180;
const LABEL_PX = 64;
const DAY_S = 86_400;

/** Tokens by day and model, as bars; the same in a table for those who cannot see them. */
export function SpendChart({ spend }: { spend: Spend }) {
  const place = useRef<HTMLDivElement>(null);
  const models = [...new Set(spend.map(({ model }) => model))];
  useEffect(() => {
    const element = place.current;
    if (element === null || spend.length === 0) return undefined;
    let chart = draw(element, spend, models);
    const again = (): void => {
      chart.destroy();
      chart = draw(element, spend, models);
    };
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    addEventListener("themechange", again);
    return () => {
      observer.disconnect();
      removeEventListener("themechange", again);
      chart.destroy();
    };
  }, [spend]);
  if (spend.length === 0) return <p class="note">Nothing was spent.</p>;
  const cost = spend.reduce((sum, day) => sum + (day.cost ?? 0), 0);
  return (
    <>
      <div ref={place} class="chart" aria-hidden="true" />
      <p class="meta">
        {models.map((model, index) => (
          <span key={model}>
            <span class={`swatch colour-${index % COLOURS.length}`} aria-hidden="true" /> <Plain text={model} />
          </span>
        ))}
        <span>
          {countOf(
            spend.reduce((sum, day) => sum + tokensOf(day), 0),
            "token",
          )}
        </span>
        {cost > 0 && <span>cost {number(cost, 3)}</span>}
      </p>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Model</th>
              <th scope="col">Calls</th>
              <th scope="col">Tokens</th>
              <th scope="col">Cached</th>
              <th scope="col">Money</th>
            </tr>
          </thead>
          <tbody>
            {spend.toReversed().map((day) => (
              <tr key={`${day.day} ${day.model}`}>
                <td>{shortDay(new Date(`${day.day}T12:00`))}</td>
                <td>
                  <Plain text={day.model} />
                </td>
                <td>{number(day.calls)}</td>
                <td>{number(tokensOf(day))}</td>
                <td>{number(day.cachedTokens)}</td>
                <td>{day.cost === null ? "" : number(day.cost, 4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function tokensOf({ inputTokens, outputTokens }: Spend[number]): number {
  return inputTokens + outputTokens;
}

function draw(element: HTMLElement, spend: Spend, models: readonly string[]): uPlot {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  // A day's bar stands at its noon, and so does its name.
  const last = Math.round(new Date().setHours(12, 0, 0, 0) / 1000);
  const days = Array.from({ length: 30 }, (_, ago) => last - (29 - ago) * DAY_S);
  const between = Math.max(1, Math.ceil((days.length * LABEL_PX) / Math.max(1, element.clientWidth)));
  const named = days.filter((_, index) => (days.length - 1 - index) % between === 0);
  // Each model stands on the ones before it: the highest bar is drawn first, the others over it.
  const stacked = models.map((_, index) =>
    days.map((day) =>
      spend
        .filter((each) => models.indexOf(each.model) <= index && each.day === dayKey(new Date(day * 1000)))
        .reduce((sum, each) => sum + tokensOf(each), 0),
    ),
  );
  const bars = uPlot.paths.bars?.({ size: [0.7, 24], radius: 0.15 });
  const series = models.map((model, index) => ({
    label: model,
    fill: colour(COLOURS[index % COLOURS.length] ?? "--sea"),
    width: 0,
    points: { show: false },
    ...(bars ? { paths: bars } : {}),
  }));
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui",
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: [(days[0] ?? 0) - DAY_S, last + DAY_S] },
        y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 32,
          grid: { show: false },
          splits: () => named,
          values: (_, at) => at.map((each) => shortDay(new Date(each * 1000))),
        },
        { ...axis, size: 56, values: (_, at) => at.map((each) => number(each)) },
      ],
      series: [{}, ...series.toReversed()],
    },
    [days, ...stacked.toReversed()],
    element,
  );
}
