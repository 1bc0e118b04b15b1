import { readSystemTimezone } from "../../src/system-timezone.ts";
import { formatDay, formatMinute, formatTimestamp, isTimezone, parseTimestamp } from "../../src/time.ts";

// Run with TZ set: the same instants by the system's clock and by the name of its zone.
const instants = Array.from(
  { length: 600 },
  (_, index) => new Date(Date.UTC(1960, 0, 1) + index * 35 * 86_400_000 * 1.003),
);
const wall = "2026-10-25T02:30:00";
const tell = (zone: string) => [
  ...instants.map((instant) => formatTimestamp(instant, zone)),
  formatMinute(instants[9] ?? new Date(0), zone),
  formatDay(instants[9] ?? new Date(0), zone),
  String(isTimezone(zone)),
  parseTimestamp(wall, zone)?.toISOString() ?? "",
];
const [name = ""] = process.argv.slice(2);
const byName = tell(name);
const system = readSystemTimezone(process.env["TZ"]);
const byClock = tell(system);
process.env["TZ"] = "Pacific/Auckland";
const afterwards = tell(name);
process.stdout.write(
  JSON.stringify({
    system,
    isSame: JSON.stringify(byName) === JSON.stringify(byClock),
    staysSame: JSON.stringify(byName) === JSON.stringify(afterwards),
  }),
);
