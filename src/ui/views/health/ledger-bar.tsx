import { Fragment } from "preact";
import type { Health } from "../../../server/inspector/health-shapes.ts";
import { number } from "../../when.ts";
import { Plain } from "../../words.tsx";

/** Every fact that ever was in memory, by what became of it. */
export function LedgerBar({ ledger }: Pick<Health, "ledger">) {
  const { entered, standing, reworded, moved, retired, lost, survival } = ledger;
  if (entered === 0) return <p class="note">No facts yet.</p>;
  const parts = [
    { name: "kept word for word", count: standing, className: "stands" },
    { name: "kept, reworded", count: reworded, className: "reworded" },
    { name: "moved to notes", count: moved, className: "moved" },
    { name: "retired with a reason", count: retired, className: "retired" },
  ];
  return (
    <>
      <span class="ledger" aria-hidden="true">
        {parts.map(({ name, count, className }) => (
          <span key={name} class={className} style={{ flexGrow: count }} />
        ))}
      </span>
      <dl class="figures">
        {parts.map(({ name, count, className }) => (
          <Fragment key={name}>
            <dt>
              <span class={`swatch ${className}`} aria-hidden="true" /> {name}
            </dt>
            <dd>{number(count)}</dd>
          </Fragment>
        ))}
        <dt>lost without a reason</dt>
        <dd class={lost.length > 0 ? "went" : ""}>{number(lost.length)}</dd>
      </dl>
      <p class="small">{`${number(survival * 100, 0)} % of ${number(entered)} survive.`}</p>
      {lost.length > 0 && (
        <ul class="failed">
          {lost.map((fact) => (
            <li key={fact}>
              <Plain text={fact} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
