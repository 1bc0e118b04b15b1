import { misuse, readSources, toLines } from "../call.ts";
import type { BuiltIn } from "../call.ts";
import { readOptions } from "../read-options.ts";

/** echo: its words. */
export const echo: BuiltIn = (call) => {
  const isBare = call.words[0] === "-n";
  call.write(`${call.words.slice(isBare ? 1 : 0).join(" ")}${isBare ? "" : "\n"}`);
  return 0;
};

/** pwd: the workspace, which is where every command works. */
export const pwd: BuiltIn = (call) => {
  call.write(".\n");
  return 0;
};

/** date: the time now, in any form; it cannot be set, and nothing is read from files. */
export const date: BuiltIn = (call) => {
  const options = readOptions(
    call.name,
    call.words.map((word) => (/^-I|^--iso-8601/.test(word) ? "+%F" : word)),
    {
      flags: "uR",
      long: { utc: "u", universal: "u" },
    },
  );
  const [format = "+%a %b %e %H:%M:%S %Z %Y", ...more] = options.plain;
  if (!format.startsWith("+") || more.length > 0) throw misuse(call.name, "takes a form such as +%Y-%m-%d");
  const isUtc = options.has("u");
  const part = (name: string, style: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", { ...style, hourCycle: "h23", ...(isUtc ? { timeZone: "UTC" } : {}) })
      .formatToParts(call.now)
      .find(({ type }) => type === name)?.value ?? "";
  const fields: Readonly<Record<string, () => string>> = {
    Y: () => part("year", { year: "numeric" }),
    m: () => part("month", { month: "2-digit" }),
    d: () => part("day", { day: "2-digit" }),
    e: () => part("day", { day: "numeric" }).padStart(2),
    H: () => twoDigits(part("hour", { hour: "2-digit" })),
    M: () => twoDigits(part("minute", { minute: "2-digit", hour: "2-digit" })),
    S: () => twoDigits(part("second", { second: "2-digit", minute: "2-digit" })),
    a: () => part("weekday", { weekday: "short" }),
    A: () => part("weekday", { weekday: "long" }),
    b: () => part("month", { month: "short" }),
    B: () => part("month", { month: "long" }),
    Z: () => part("timeZoneName", { timeZoneName: "short" }),
    s: () => String(Math.floor(call.now.getTime() / 1000)),
    "%": () => "%",
  };
  const write = (text: string): string =>
    text.replaceAll(/%([a-zA-Z%])/g, (whole, letter: string) => fields[letter]?.() ?? whole);
  call.write(
    `${write(format.slice(1).replaceAll("%F", "%Y-%m-%d").replaceAll("%T", "%H:%M:%S").replaceAll("%R", "%H:%M"))}\n`,
  );
  return 0;
};

/** rev: each line from its end. */
export const rev: BuiltIn = (call) => {
  const { plain } = readOptions(call.name, call.words, {});
  for (const { text } of readSources(call, plain)) {
    for (const line of toLines(text)) call.write(`${[...line].toReversed().join("")}\n`);
  }
  return 0;
};

function twoDigits(text: string): string {
  return text.padStart(2, "0");
}
