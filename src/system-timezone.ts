import { existsSync, readlinkSync } from "node:fs";
import { systemCode } from "./errors.ts";

/**
 * The system's time zone. It is told by the variable TZ or by the link that most systems keep: what asks for it in any
 * other way loads the data of all languages first, which takes longer than most commands do.
 */
export function readSystemTimezone(variable: string | undefined): string {
  const name = nameIn(variable ? knownZone(variable) : readLink()) ?? askIntl();
  system = { name, clock: readClock() };
  return name;
}

function askIntl(): string {
  // Where the variable makes no sense nobody has a name for it, and the clock shows this.
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** Whether the clock that Date shows is that of this zone. */
export function isSystemTimezone(name: string): boolean {
  // A program may set another zone while it runs.
  return system?.name === name && system.clock === readClock();
}

let system: { name: string; clock: string } | undefined;

const JANUARY = new Date(Date.UTC(2026, 0, 1));
const JULY = new Date(Date.UTC(2026, 6, 1));

function readClock(): string {
  return `${JANUARY.getTimezoneOffset()} ${JULY.getTimezoneOffset()}`;
}

const UTC = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/;
const PLACE =
  /^(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)(?:\/[A-Z][A-Za-z_-]+){1,2}$/;

/** The zone that is plainly named; undefined for rules, offsets, files of one's own and what is rare. */
function nameIn(setting: string): string | undefined {
  const name = setting.replace(/^.*\/zoneinfo\/(?:posix\/)?/, "");
  if (UTC.test(name)) return "UTC";
  return PLACE.test(name) ? name : undefined;
}

/** The variable may name a place that there is not. */
function knownZone(variable: string): string {
  return UTC.test(variable) || existsSync(`/usr/share/zoneinfo/${variable}`) ? variable : "";
}

function readLink(): string {
  try {
    return readlinkSync("/etc/localtime");
  } catch (error) {
    // No link, or no such file, as on Windows: others know.
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}
