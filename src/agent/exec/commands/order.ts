import { misuse, readSources, toLines } from "../call.ts";
import type { BuiltIn } from "../call.ts";
import { readOptions } from "../read-options.ts";
import { statusOf } from "./parts-of-text.ts";

/** sort: lines in order. */
export const sort: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "rnufhVbsgdi",
    values: "kt",
    long: {
      reverse: "r",
      "numeric-sort": "n",
      unique: "u",
      "ignore-case": "f",
      "human-numeric-sort": "h",
      "version-sort": "V",
      key: "k",
      "field-separator": "t",
    },
  });
  const sources = readSources(call, options.plain);
  const keys = options.all("k").map((text) => readKey(call.name, text));
  const whole: SortKey = { from: 0, to: Infinity, flags: "" };
  const separator = options.value("t");
  const global = ["r", "n", "f", "h", "V", "g"].filter((flag) => options.has(flag)).join("");
  const compare = (one: string, other: string): number => {
    for (const key of keys.length === 0 ? [whole] : keys) {
      const flags = key.flags || global;
      const order = compareBy(flags, pick(one, key, separator), pick(other, key, separator));
      if (order !== 0) return flags.includes("r") ? -order : order;
    }
    return 0;
  };
  const lines = sources.flatMap(({ text }) => toLines(text));
  const sign = global.includes("r") ? -1 : 1;
  lines.sort(
    (one, other) =>
      compare(one, other) || (options.has("s") || options.has("u") ? 0 : sign * compareBy("", one, other)),
  );
  const shown = options.has("u")
    ? lines.filter((line, at) => at === 0 || compare(lines[at - 1] ?? "", line) !== 0)
    : lines;
  for (const line of shown) call.write(`${line}\n`);
  return statusOf(options.plain.length, sources.length);
};

interface SortKey {
  from: number;
  to: number;
  flags: string;
}

function readKey(name: string, text: string): SortKey {
  const [, from = "", fromFlags = "", to, toFlags = ""] =
    /^(\d{1,6})(?:\.\d+)?([a-zA-Z]*)(?:,(\d{1,6})(?:\.\d+)?([a-zA-Z]*))?$/.exec(text) ?? [];
  if (from === "") throw misuse(name, `${JSON.stringify(text)} is not a sort key`);
  return { from: Number(from) - 1, to: to === undefined ? Infinity : Number(to), flags: fromFlags + toFlags };
}

function pick(line: string, { from, to }: SortKey, separator: string | undefined): string {
  if (from === 0 && to === Infinity) return line;
  const fields = separator === undefined ? line.trimStart().split(/\s+/) : line.split(separator);
  return fields.slice(from, to).join(separator ?? " ");
}

const SIZES = " KMGTPE";

function compareBy(flags: string, one: string, other: string): number {
  if (/[ngh]/.test(flags)) {
    const number = (text: string): number => {
      const [, digits = "", unit = ""] = /^\s*(-?\d+(?:\.\d+)?)([KMGTPE]?)/i.exec(text) ?? [];
      return digits === ""
        ? 0
        : Number(digits) * (flags.includes("h") ? 1024 ** Math.max(0, SIZES.indexOf(unit.toUpperCase() || " ")) : 1);
    };
    return number(one) - number(other);
  }
  if (flags.includes("V")) return one.localeCompare(other, "en", { numeric: true });
  const [left, right] = flags.includes("f") ? [one.toUpperCase(), other.toUpperCase()] : [one, other];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** uniq: neighbouring lines that are equal, once. */
export const uniq: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "cdui",
    long: { count: "c", repeated: "d", unique: "u", "ignore-case": "i" },
  });
  if (options.plain.length > 1) throw misuse(call.name, "takes one file; nothing can be written here");
  const sources = readSources(call, options.plain);
  const groups: { line: string; count: number }[] = [];
  const fold = (line: string) => (options.has("i") ? line.toLowerCase() : line);
  for (const line of sources.flatMap(({ text }) => toLines(text))) {
    const last = groups.at(-1);
    if (last && fold(last.line) === fold(line)) last.count++;
    else groups.push({ line, count: 1 });
  }
  for (const { line, count } of groups) {
    if ((options.has("d") && count === 1) || (options.has("u") && count > 1)) continue;
    call.write(options.has("c") ? `${String(count).padStart(7)} ${line}\n` : `${line}\n`);
  }
  return statusOf(options.plain.length, sources.length);
};

/** tr: characters for others. */
export const tr: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "dscC",
    long: { delete: "d", "squeeze-repeats": "s", complement: "c" },
  });
  const [first = "", second] = options.plain;
  if (first === "" || options.plain.length > 2) throw misuse(call.name, "takes one or two sets of characters");
  const from = expandSet(first);
  const to = second === undefined ? [] : expandSet(second);
  const isComplement = options.has("c") || options.has("C");
  const places = new Map(from.map((character, at) => [character, at]));
  const isNamed = (character: string) => places.has(character) !== isComplement;
  const isDeleting = options.has("d");
  const squeezed = options.has("s") ? (isDeleting || to.length > 0 ? new Set(to) : undefined) : new Set<string>();
  let out = "";
  let last: string | undefined;
  for (const character of call.input) {
    if (isDeleting && isNamed(character)) continue;
    const isChanged = !isDeleting && to.length > 0 && isNamed(character);
    const written = isChanged
      ? (to[isComplement ? to.length - 1 : Math.min(places.get(character) ?? 0, to.length - 1)] ?? "")
      : character;
    if (written === last && (squeezed === undefined ? isNamed(written) : squeezed.has(written))) continue;
    out += written;
    last = written;
  }
  call.write(out);
  return 0;
};

const RANGES: Readonly<Record<string, string>> = {
  "[:lower:]": "a-z",
  "[:upper:]": "A-Z",
  "[:digit:]": "0-9",
  "[:alpha:]": "A-Za-z",
  "[:alnum:]": "A-Za-z0-9",
  "[:space:]": " \\t\\n\\r\\v\\f",
  "[:blank:]": " \\t",
  "[:punct:]": "!-/:-@[-`{-~",
};
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f", "0": "\0" };

function expandSet(text: string): string[] {
  const source = text.replaceAll(/\[:[a-z]+:\]/g, (name) => RANGES[name] ?? name);
  const pieces = [...source.matchAll(/\\([\s\S])|([\s\S])/gu)].map(([, escaped, plain]) =>
    escaped === undefined
      ? { character: plain ?? "", isPlain: true }
      : { character: ESCAPES[escaped] ?? escaped, isPlain: false },
  );
  const out: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const from = pieces[at]?.character ?? "";
    const to = pieces[at + 2];
    if (to && pieces[at + 1]?.isPlain && pieces[at + 1]?.character === "-") {
      const last = to.character.codePointAt(0) ?? 0;
      const first = from.codePointAt(0) ?? 0;
      for (let code = first; code <= Math.min(last, first + 70_000); code++) out.push(String.fromCodePoint(code));
      at += 2;
    } else out.push(from);
  }
  return out;
}
