import { number } from "../../when.ts";

const NAMES: Readonly<Record<string, string>> = {
  memory: "in memory files",
  messages: "messages",
  files: "files",
  changes: "changes on record",
  jobs: "jobs",
};

/** How much goes, by where it stands. */
export function Counts({ counts }: { counts: Readonly<Record<string, number>> }) {
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  if (told.length === 0) return <p class="note">Nothing.</p>;
  return (
    <ul class="counts">
      {told.map(([name, count]) => (
        <li key={name}>
          <strong>{number(count)}</strong> {NAMES[name] ?? name}
        </li>
      ))}
    </ul>
  );
}
