import { misuse, missing, readCount, readPlace, toLines } from "../call.ts";
import type { BuiltIn, Call } from "../call.ts";
import { readOptions } from "../read-options.ts";
import type { Options, OptionTable } from "../read-options.ts";
import { globPattern, toPattern } from "../to-pattern.ts";
import type { Dialect } from "../to-pattern.ts";
import { baseOf } from "../view.ts";
import type { Place } from "../view.ts";
import { trimEnd } from "../../../language/trim-end.ts";

const TABLE: OptionTable = {
  flags: "irRnlLcovwxhHEFPGqsaIby",
  values: "efmABC",
  long: {
    "ignore-case": "i",
    recursive: "r",
    "dereference-recursive": "R",
    "line-number": "n",
    "files-with-matches": "l",
    "files-without-match": "L",
    count: "c",
    "only-matching": "o",
    "invert-match": "v",
    "word-regexp": "w",
    "line-regexp": "x",
    "no-filename": "h",
    "with-filename": "H",
    "extended-regexp": "E",
    "fixed-strings": "F",
    "perl-regexp": "P",
    "basic-regexp": "G",
    quiet: "q",
    "no-messages": "s",
    text: "a",
    regexp: "e",
    file: "f",
    "max-count": "m",
    "after-context": "A",
    "before-context": "B",
    context: "C",
    include: "include",
    exclude: "exclude",
    "exclude-dir": "exclude-dir",
    color: "color",
    colour: "color",
  },
  longValues: ["include", "exclude", "exclude-dir"],
};

/** grep: the lines that a pattern matches. Folders are searched without what is hidden, and links are not followed. */
export const grep: BuiltIn = (call) => {
  const options = readOptions(
    call.name,
    call.words.map((word) => (/^--colou?r(?:=\w*)?$/.test(word) ? "--color" : word)),
    TABLE,
  );
  const { patterns, paths } = readPatterns(call, options);
  const matcher = createMatcher(call, options, patterns);
  const isRecursive = options.has("r") || options.has("R");
  const places = paths.length > 0 ? paths : isRecursive ? ["."] : ["-"];
  const found = findTexts(call, options, places, isRecursive);
  const isNamed = options.has("H") || ((found.length > 1 || isRecursive) && !options.has("h"));
  let matched = 0;
  for (const source of found) {
    const { name } = source;
    const text = source.read();
    if (text === undefined) continue;
    const count = searchText(call, options, matcher, text, name, isNamed);
    if (count > 0) matched++;
    if (options.has("q") && matched > 0) return 0;
  }
  const isListed = options.has("L") ? matched < found.length : matched > 0;
  return isListed ? 0 : 1;
};

function readPatterns(call: Call, options: Options): { patterns: string[]; paths: readonly string[] } {
  const fromFiles = options.all("f").flatMap((path) => toLines(readPlace(call, call.view.locate(path)) ?? ""));
  const patterns = [...options.all("e").flatMap((text) => text.split("\n")), ...fromFiles];
  if (options.has("e") || options.has("f")) return { patterns, paths: options.plain };
  const [pattern, ...paths] = options.plain;
  if (pattern === undefined) throw misuse(call.name, "needs a pattern");
  return { patterns: pattern.split("\n"), paths };
}

function createMatcher(call: Call, options: Options, patterns: readonly string[]): RegExp {
  const isFixed = options.has("F") || call.name === "fgrep";
  const isExtended = options.has("E") || call.name === "egrep";
  const dialect: Dialect = isFixed ? "fixed" : options.has("P") ? "perl" : isExtended ? "extended" : "basic";
  const flags = `g${options.has("i") || options.has("y") ? "i" : ""}`;
  if (patterns.length === 0) return /(?!)/g;
  const sources = patterns.map((pattern) => `(?:${toPattern(pattern, dialect).source})`).join("|");
  const whole = options.has("x")
    ? `^(?:${sources})$`
    : options.has("w")
      ? `(?<![\\p{L}\\p{N}_])(?:${sources})(?![\\p{L}\\p{N}_])`
      : sources;
  return toPattern(whole, "perl", flags);
}

interface Text {
  name: string;
  read(): string | undefined;
}

function findTexts(call: Call, options: Options, paths: readonly string[], isRecursive: boolean): Text[] {
  const globs = (name: string) => options.all(name).map((glob) => globPattern(trimEnd(glob, /\//)));
  const [include, exclude, skipped] = [globs("include"), globs("exclude"), globs("exclude-dir")];
  const isOpen = (place: Place) =>
    (include.length === 0 || include.some((glob) => glob.test(baseOf(place)))) &&
    !exclude.some((glob) => glob.test(baseOf(place)));
  const walk = (folder: Place): Place[] =>
    call.view.list(folder).flatMap((place) => {
      if (!call.view.stat(place)?.isDirectory()) return isOpen(place) ? [place] : [];
      return skipped.some((glob) => glob.test(baseOf(place))) ? [] : walk(place);
    });
  return paths.flatMap((path): Text[] => {
    if (path === "-") return [{ name: "(standard input)", read: () => call.input }];
    const place = call.view.locate(path);
    const info = call.view.stat(place);
    if (info === undefined) {
      if (!options.has("s")) missing(call, path);
      return [];
    }
    const isWalked = info.isDirectory() && isRecursive;
    const places = isWalked ? walk(place) : isOpen(place) || !isRecursive ? [place] : [];
    return places.map((each) => ({ name: each.name, read: () => readPlace(call, each) }));
  });
}

function searchText(
  call: Call,
  options: Options,
  matcher: RegExp,
  text: string,
  name: string,
  isNamed: boolean,
): number {
  const isSummary = ["q", "l", "L", "c"].some((flag) => options.has(flag));
  const isBinary = text.slice(0, 8000).includes("\0") && !options.has("a");
  if (isBinary && options.has("I")) return 0;
  const most = options.value("m") === undefined ? Infinity : readCount(call.name, options.value("m") ?? "");
  const around = (letter: string) => readCount(call.name, options.value(letter) ?? options.value("C") ?? "0");
  const [before, after] = [around("B"), around("A")];
  const lines = toLines(text);
  let count = 0;
  let shown = -1;
  const show = (at: number, mark: string, line: string): void => {
    call.write(`${isNamed ? `${name}${mark}` : ""}${options.has("n") ? `${at + 1}${mark}` : ""}${line}\n`);
  };
  for (const [at, line] of lines.entries()) {
    if (count >= most) break;
    matcher.lastIndex = 0;
    if (matcher.test(line) === options.has("v")) continue;
    count++;
    if (isSummary) {
      if (!options.has("c")) break;
      continue;
    }
    if (isBinary) {
      call.write(`Binary file ${name} matches\n`);
      return count;
    }
    const first = Math.max(shown + 1, at - before);
    if (shown >= 0 && first > shown + 1 && before + after > 0) call.write("--\n");
    for (let each = first; each < at; each++) show(each, "-", lines[each] ?? "");
    if (options.has("o") && !options.has("v")) {
      matcher.lastIndex = 0;
      for (const [part] of line.matchAll(matcher)) if (part !== "") show(at, ":", part);
    } else show(at, ":", line);
    shown = at;
    // What follows a hit is shown until the next one.
    for (let each = at + 1; each <= Math.min(at + after, lines.length - 1); each++) {
      matcher.lastIndex = 0;
      if (matcher.test(lines[each] ?? "") !== options.has("v")) break;
      show(each, "-", lines[each] ?? "");
      shown = each;
    }
  }
  if (options.has("c")) call.write(`${isNamed ? `${name}:` : ""}${count}\n`);
  if ((options.has("l") && count > 0) || (options.has("L") && count === 0)) call.write(`${name}\n`);
  return count;
}
