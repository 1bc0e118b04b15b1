import type { Stats } from "node:fs";
import { missing, readPlace } from "../call.ts";
import type { BuiltIn, Call } from "../call.ts";
import { readOptions } from "../read-options.ts";
import type { Options } from "../read-options.ts";
import { baseOf } from "../view.ts";
import type { Place } from "../view.ts";

interface Item {
  place: Place;
  info: Stats;
}

/** ls: what lies in a folder. */
export const ls: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "laA1RhtSrdFpkGgo",
    long: {
      all: "a",
      "almost-all": "A",
      recursive: "R",
      "human-readable": "h",
      reverse: "r",
      directory: "d",
      classify: "F",
    },
  });
  const named = findItems(call, options.plain.length === 0 ? ["."] : options.plain);
  const isFolder = ({ info }: Item) => info.isDirectory() && !options.has("d");
  showItems(
    call,
    options,
    named.filter((item) => !isFolder(item)),
    ({ place }) => place.name,
  );
  const folders = named.filter(isFolder);
  const visit = (item: Item, isTitled: boolean): void => {
    if (isTitled) call.write(`${item.place.name}:\n`);
    const inside = itemsIn(call, item.place).filter(
      ({ place }) => options.has("a") || options.has("A") || !baseOf(place).startsWith("."),
    );
    showItems(call, options, inside, ({ place }) => baseOf(place));
    if (!options.has("R")) return;
    for (const each of inside.filter(isFolder)) {
      call.write("\n");
      visit(each, true);
    }
  };
  for (const [at, folder] of folders.entries()) {
    if (at > 0 || named.length > folders.length) call.write("\n");
    visit(folder, named.length > 1 || options.has("R"));
  }
  return named.length < options.plain.length ? 2 : 0;
};

function findItems(call: Call, paths: readonly string[]): Item[] {
  return paths.flatMap((path) => {
    const place = call.view.locate(path);
    const info = call.view.stat(place);
    if (info !== undefined) return [{ place, info }];
    missing(call, path);
    return [];
  });
}

function itemsIn(call: Call, folder: Place): Item[] {
  return call.view.list(folder).flatMap((place) => {
    const info = call.view.stat(place);
    return info === undefined ? [] : [{ place, info }];
  });
}

function showItems(call: Call, options: Options, items: readonly Item[], title: (item: Item) => string): void {
  const order = (one: Item, other: Item): number => {
    if (options.has("t")) return other.info.mtimeMs - one.info.mtimeMs;
    if (options.has("S")) return other.info.size - one.info.size;
    return 0;
  };
  const sorted = items.toSorted(order);
  if (options.has("r")) sorted.reverse();
  for (const item of sorted) {
    const mark = item.info.isDirectory() && (options.has("F") || options.has("p")) ? "/" : "";
    const size = options.has("h") ? shortSize(item.info.size) : String(item.info.size);
    const long = options.has("l") ? `${modeOf(item.info)} ${size.padStart(8)} ${timeOf(item.info)} ` : "";
    call.write(`${long}${title(item)}${mark}\n`);
  }
}

/** stat: size, kind and time of files. */
export const stat: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, { values: "cf", long: { format: "c", printf: "c" } });
  const items = findItems(call, options.plain);
  for (const { place, info } of items) {
    const fields: Readonly<Record<string, string>> = {
      n: place.name,
      s: String(info.size),
      y: timeOf(info),
      Y: String(Math.floor(info.mtimeMs / 1000)),
      F: info.isDirectory() ? "directory" : "regular file",
      a: (info.mode & 0o777).toString(8),
      A: modeOf(info),
      "%": "%",
    };
    const format = options.value("c") ?? "  File: %n\n  Size: %s  %F\nAccess: %A\nModify: %y";
    call.write(`${format.replaceAll(/%([a-zA-Z%])/g, (_, letter: string) => fields[letter] ?? "?")}\n`);
  }
  return items.length < options.plain.length ? 1 : 0;
};

/** du: how many bytes the files that may be seen have. */
export const du: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "shakbc",
    values: "d",
    long: { summarize: "s", "human-readable": "h", all: "a", total: "c", "max-depth": "d" },
  });
  const deepest = options.has("s") ? 0 : Number(options.value("d") ?? Infinity);
  const show = (size: number, name: string): void => {
    const shown = options.has("h") ? shortSize(size) : String(options.has("b") ? size : Math.ceil(size / 1024));
    call.write(`${shown}\t${name}\n`);
  };
  const measure = ({ place, info }: Item, depth: number): number => {
    const isFolder = info.isDirectory();
    const inside = isFolder ? itemsIn(call, place) : [];
    const size = inside.reduce((sum, each) => sum + measure(each, depth + 1), isFolder ? 0 : info.size);
    if (depth <= deepest && (isFolder || depth === 0 || options.has("a"))) show(size, place.name);
    return size;
  };
  const items = findItems(call, options.plain.length === 0 ? ["."] : options.plain);
  const total = items.reduce((sum, item) => sum + measure(item, 0), 0);
  if (options.has("c")) show(total, "total");
  return items.length < options.plain.length ? 1 : 0;
};

const MAGIC: readonly (readonly [start: string, kind: string])[] = [
  ["89504e47", "PNG image data"],
  ["ffd8ff", "JPEG image data"],
  ["47494638", "GIF image data"],
  ["25504446", "PDF document"],
  ["504b0304", "Zip archive data"],
  ["1f8b", "gzip compressed data"],
  ["53514c69746520666f726d6174", "SQLite 3.x database"],
];

/** file: what kind of data a file holds. */
export const file: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, { flags: "bi", long: { brief: "b" } });
  const items = findItems(call, options.plain);
  for (const { place, info } of items) {
    const kind = info.isDirectory() ? "directory" : kindOf(call, place);
    call.write(options.has("b") ? `${kind}\n` : `${place.name}: ${kind}\n`);
  }
  return items.length < options.plain.length ? 1 : 0;
};

function kindOf(call: Call, place: Place): string {
  const text = readPlace(call, place);
  if (text === undefined) return "unreadable";
  if (text === "") return "empty";
  const hex = call.view.read(place).subarray(0, 16).toString("hex");
  const known = MAGIC.find(([start]) => hex.startsWith(start));
  if (known) return known[1];
  if (text.includes("\0") || text.includes("\u{fffd}")) return "data";
  return /^[\t\n\r\x20-\x7e]*$/.test(text) ? "ASCII text" : "UTF-8 text";
}

function modeOf(info: Stats): string {
  const bits = [..."rwxrwxrwx"].map((letter, at) => ((info.mode >> (8 - at)) & 1 ? letter : "-")).join("");
  return `${info.isDirectory() ? "d" : "-"}${bits}`;
}

function timeOf(info: Stats): string {
  return info.mtime.toISOString().slice(0, 16).replace("T", " ");
}

function shortSize(size: number): string {
  if (size < 1024) return String(size);
  const power = Math.min(4, Math.floor(Math.log2(size) / 10));
  return `${(size / 1024 ** power).toFixed(1)}${" KMGT".charAt(power)}`;
}
