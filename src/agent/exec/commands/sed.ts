import { misuse, readSources, toLines } from "../call.ts";
import type { BuiltIn } from "../call.ts";
import { readOptions } from "../read-options.ts";
import { toPattern } from "../to-pattern.ts";
import type { Dialect } from "../to-pattern.ts";
import { statusOf } from "./parts-of-text.ts";

type Address = { line: number } | { isLast: true } | { pattern: RegExp };
interface Step {
  from?: Address;
  to?: Address;
  isNot: boolean;
  act: "p" | "d" | "q" | "=" | { pattern: RegExp; by: string; isAll: boolean; isShown: boolean };
  /** Whether a range of lines has begun. */
  isOpen: boolean;
}

/** sed: lines by number or pattern (p, d, q, =) and replacements (s///gip); it writes and runs nothing. */
export const sed: BuiltIn = (call) => {
  const options = readOptions(call.name, call.words, {
    flags: "nErsu",
    values: "e",
    long: { quiet: "n", silent: "n", "regexp-extended": "E", expression: "e" },
  });
  const scripts = options.all("e").length > 0 ? options.all("e") : options.plain.slice(0, 1);
  if (scripts.length === 0) throw misuse(call.name, "needs a script");
  const paths = options.all("e").length > 0 ? options.plain : options.plain.slice(1);
  const steps = scripts.flatMap((script) =>
    readScript(call.name, script, options.has("E") || options.has("r") ? "extended" : "basic"),
  );
  const sources = readSources(call, paths);
  const lines = sources.flatMap(({ text }) => toLines(text));
  for (const [at, given] of lines.entries()) {
    let line = given;
    let isDeleted = false;
    let isLast = false;
    for (const step of steps) {
      if (isChosen(step, line, at + 1, lines.length) === step.isNot) continue;
      if (step.act === "d") {
        isDeleted = true;
        break;
      }
      if (step.act === "p") call.write(`${line}\n`);
      else if (step.act === "=") call.write(`${at + 1}\n`);
      else if (step.act === "q") {
        isLast = true;
        break;
      } else {
        const changed = replace(line, step.act);
        if (changed !== line && step.act.isShown) call.write(`${changed}\n`);
        line = changed;
      }
    }
    if (!isDeleted && !options.has("n")) call.write(`${line}\n`);
    if (isLast) break;
  }
  return statusOf(paths.length, sources.length);
};

function isChosen(step: Step, line: string, number: number, count: number): boolean {
  const hits = (address: Address): boolean => {
    if ("pattern" in address) return address.pattern.test(line);
    return "line" in address ? address.line === number : number === count;
  };
  if (!step.from) return true;
  if (!step.to) return hits(step.from);
  if (!step.isOpen) {
    if (!hits(step.from)) return false;
    // A range that ends before it begins is one line.
    step.isOpen = !("line" in step.to && step.to.line <= number);
    return true;
  }
  const isPast = "line" in step.to && step.to.line < number;
  step.isOpen = !isPast && !hits(step.to);
  return !isPast;
}

function replace(line: string, { pattern, by, isAll }: { pattern: RegExp; by: string; isAll: boolean }): string {
  const write = (...found: (string | number | undefined)[]): string =>
    by.replaceAll(/\\([\s\S])|&/g, (piece, escaped: string | undefined) => {
      if (piece === "&") return String(found[0]);
      if (escaped === "n") return "\n";
      if (escaped === "t") return "\t";
      return /\d/.test(escaped ?? "") ? String(found[Number(escaped)] ?? "") : (escaped ?? "");
    });
  return isAll ? line.replaceAll(pattern, write) : line.replace(pattern, write);
}

const ADDRESS = String.raw`(?:\d{1,9}|\$|/(?:[^/\\\n]|\\.)*/)`;
const STEP = new RegExp(String.raw`^\s*(?:(${ADDRESS})(?:\s*,\s*(${ADDRESS}))?)?\s*(!?)\s*([pdq=]|s)`, "u");

function readScript(name: string, script: string, dialect: Dialect): Step[] {
  const steps: Step[] = [];
  let rest = script;
  while (rest.trim() !== "") {
    const found = STEP.exec(rest);
    if (!found) throw misuse(name, `${JSON.stringify(rest)} cannot be used here; p, d, q, = and s/…/…/ can`);
    const [whole, from, to, not, letter] = found;
    rest = rest.slice(whole.length);
    let act: Step["act"];
    if (letter === "s") {
      const read = readReplacement(name, rest, dialect);
      act = read.act;
      rest = rest.slice(read.length);
    } else act = letter === "p" || letter === "d" || letter === "q" ? letter : "=";
    const end = /^\s*(?:;|\n|$)/.exec(rest);
    if (!end) throw misuse(name, `${JSON.stringify(rest)} cannot be used here; p, d, q, = and s/…/…/ can`);
    rest = rest.slice(end[0].length);
    steps.push({
      ...(from === undefined ? {} : { from: readAddress(from, dialect) }),
      ...(to === undefined ? {} : { to: readAddress(to, dialect) }),
      isNot: not === "!",
      act,
      isOpen: false,
    });
  }
  return steps;
}

function readAddress(text: string, dialect: Dialect): Address {
  if (text === "$") return { isLast: true };
  return text.startsWith("/")
    ? { pattern: toPattern(text.slice(1, -1).replaceAll("\\/", "/"), dialect) }
    : { line: Number(text) };
}

function readReplacement(
  name: string,
  rest: string,
  dialect: Dialect,
): { act: Exclude<Step["act"], string>; length: number } {
  const mark = rest.charAt(0);
  const parts: string[] = [""];
  let at = 1;
  for (; at < rest.length && parts.length < 3; at++) {
    const character = rest.charAt(at);
    if (character === mark) parts.push("");
    else if (character === "\\" && rest.charAt(at + 1) === mark) parts[parts.length - 1] += rest.charAt(++at);
    else if (character === "\\") parts[parts.length - 1] += `\\${rest.charAt(++at)}`;
    else parts[parts.length - 1] += character;
  }
  const [source = "", by = "", last] = parts;
  if (last === undefined || /[\w\s\\]/.test(mark)) throw misuse(name, "s needs the form s/pattern/text/");
  const flags = /^[gip]*/i.exec(rest.slice(at))?.[0] ?? "";
  const isAll = flags.includes("g");
  const pattern = toPattern(source, dialect, `${isAll ? "g" : ""}${/i/i.test(flags) ? "i" : ""}`);
  return { act: { pattern, by, isAll, isShown: flags.includes("p") }, length: at + flags.length };
}
