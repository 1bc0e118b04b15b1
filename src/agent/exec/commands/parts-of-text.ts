import { misuse, readCount, readSources, toLines } from "../call.ts";
import type { BuiltIn, Call } from "../call.ts";
import { readOptions } from "../read-options.ts";

/** cat: texts, one after the other. */
export const cat: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, { flags: "nbsu", long: { number: "n" } });
  const sources = readSources(call, options.plain);
  let number = 0;
  for (const { text } of sources) {
    if (!options.has("n") && !options.has("b") && !options.has("s")) {
      call.write(text);
      continue;
    }
    let isBlank = false;
    for (const line of toLines(text)) {
      if (options.has("s") && line === "" && isBlank) continue;
      isBlank = line === "";
      const isNumbered = options.has("b") ? line !== "" : options.has("n");
      call.write(isNumbered ? `${String(++number).padStart(6)}\t${line}\n` : `${line}\n`);
    }
  }
  return statusOf(options.plain.length, sources.length);
};

/** head: the first lines or bytes. */
export const head: BuiltIn = (call) =>
  cutEach(call, (lines, count, sign) =>
    sign === "-" ? lines.slice(0, Math.max(0, lines.length - count)) : lines.slice(0, count),
  );

/** tail: the last lines or bytes; a file is not followed. */
export const tail: BuiltIn = (call) =>
  cutEach(call, (lines, count, sign) =>
    sign === "+" ? lines.slice(Math.max(0, count - 1)) : count === 0 ? [] : lines.slice(-count),
  );

type Cut = (parts: readonly string[], count: number, sign: string) => readonly string[];

function cutEach(call: Call, cut: Cut): number {
  const options = readOptions(call.name, call.words, {
    flags: "qv",
    values: "nc",
    long: { lines: "n", bytes: "c", quiet: "q", silent: "q", verbose: "v" },
    hasNumber: true,
  });
  const isBytes = options.value("c") !== undefined;
  const wanted = options.value("c") ?? options.value("n") ?? "10";
  const [, sign = "", digits = ""] = /^([+-]?)(\d{1,12})$/.exec(wanted) ?? [];
  if (digits === "") throw misuse(call.name, `${JSON.stringify(wanted)} is not a number`);
  const sources = readSources(call, options.plain);
  const isTitled = (sources.length > 1 || options.has("v")) && !options.has("q");
  for (const [index, { name, text }] of sources.entries()) {
    if (isTitled) call.write(`${index > 0 ? "\n" : ""}==> ${name} <==\n`);
    const parts = isBytes ? [...text] : text.split(/(?<=\n)/);
    call.write(cut(parts, Number(digits), sign).join(""));
  }
  return statusOf(options.plain.length, sources.length);
}

/** cut: fields or characters of each line. */
export const cut: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "s",
    values: "dfcb",
    long: {
      delimiter: "d",
      fields: "f",
      characters: "c",
      bytes: "b",
      "only-delimited": "s",
      "output-delimiter": "out",
      complement: "complement",
    },
    longValues: ["out"],
  });
  const list = options.value("f") ?? options.value("c") ?? options.value("b");
  if (list === undefined) throw misuse(call.name, "needs -f or -c");
  const isFields = options.value("f") !== undefined;
  const separator = isFields ? (options.value("d") ?? "\t") : "";
  const isWanted = readRanges(call.name, list);
  const joint = options.value("out") ?? separator;
  const sources = readSources(call, options.plain);
  for (const line of sources.flatMap(({ text }) => toLines(text))) {
    if (isFields && !line.includes(separator)) {
      if (!options.has("s")) call.write(`${line}\n`);
      continue;
    }
    const parts = isFields ? line.split(separator) : [...line];
    call.write(`${parts.filter((_, index) => isWanted(index + 1) !== options.has("complement")).join(joint)}\n`);
  }
  return statusOf(options.plain.length, sources.length);
};

function readRanges(name: string, list: string): (at: number) => boolean {
  const ranges = list.split(",").map((range) => {
    const [, from = "", dash = "", to = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(range) ?? [];
    if (from === "" && to === "") throw misuse(name, `${JSON.stringify(list)} is not a list of places`);
    return {
      from: from === "" ? 1 : readCount(name, from),
      to: dash === "" ? Number(from) : to === "" ? Infinity : Number(to),
    };
  });
  return (at) => ranges.some(({ from, to }) => at >= from && at <= to);
}

/** nl: numbered lines. */
export const nl: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, { values: "b" });
  const sources = readSources(call, options.plain);
  let number = 0;
  for (const line of sources.flatMap(({ text }) => toLines(text))) {
    const isNumbered = line !== "" || options.value("b") === "a";
    call.write(isNumbered ? `${String(++number).padStart(6)}\t${line}\n` : `       ${line}\n`);
  }
  return statusOf(options.plain.length, sources.length);
};

/** tac: lines, the last one first. */
export const tac: BuiltIn = (call) => {
  const { plain } = readOptions(call.name, call.words, {});
  const sources = readSources(call, plain);
  for (const { text } of sources)
    call.write(
      toLines(text)
        .toReversed()
        .map((line) => `${line}\n`)
        .join(""),
    );
  return statusOf(plain.length, sources.length);
};

/** wc: how many lines, words and bytes. */
export const wc: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "lwcmL",
    long: { lines: "l", words: "w", bytes: "c", chars: "m", "max-line-length": "L" },
  });
  const counts: Readonly<Record<string, (text: string) => number>> = {
    l: (text) => text.split("\n").length - 1,
    w: (text) => text.split(/\s+/).filter((word) => word !== "").length,
    m: (text) => [...text].length,
    c: (text) => Buffer.byteLength(text),
    L: (text) => text.split("\n").reduce((longest, line) => Math.max(longest, line.length), 0),
  };
  const asked = Object.keys(counts).filter((kind) => options.has(kind));
  const kinds = asked.length === 0 ? ["l", "w", "c"] : asked;
  const sources = readSources(call, options.plain);
  const rows = sources.map(({ name, text }) => ({ name, numbers: kinds.map((kind) => counts[kind]?.(text) ?? 0) }));
  if (rows.length > 1) {
    rows.push({
      name: "total",
      numbers: kinds.map((_, at) => rows.reduce((sum, { numbers }) => sum + (numbers[at] ?? 0), 0)),
    });
  }
  const isSingle = rows.length === 1 && kinds.length === 1;
  for (const { name, numbers } of rows) {
    const shown = numbers.map((number) => (isSingle ? String(number) : String(number).padStart(7))).join(" ");
    call.write(`${shown}${name === "" ? "" : ` ${name}`}\n`);
  }
  return statusOf(options.plain.length, sources.length);
};

/** 1 when something that was named could not be read. */
export function statusOf(named: number, read: number): number {
  return named > read ? 1 : 0;
}
