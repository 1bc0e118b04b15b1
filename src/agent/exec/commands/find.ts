import type { Stats } from "node:fs";
import { misuse, missing, readCount } from "../call.ts";
import type { BuiltIn, Call } from "../call.ts";
import { globPattern, toPattern } from "../to-pattern.ts";
import { baseOf } from "../view.ts";
import type { Place } from "../view.ts";

interface Candidate {
  place: Place;
  base: string;
  info: Stats;
  depth: number;
  isEmpty(): boolean;
}
type Test = (candidate: Candidate) => boolean;

/** find: names of files and folders; it runs nothing, deletes nothing and follows no links. */
export const find: BuiltIn = (call) => {
  const from = call.words.findIndex((word) => /^[-!(]/.test(word));
  const paths = from < 0 ? call.words : call.words.slice(0, from);
  const { test, depths, end } = readExpression(call, from < 0 ? [] : call.words.slice(from));
  let status = 0;
  const visit = (place: Place, depth: number): void => {
    const info = call.view.stat(place);
    if (info === undefined) return;
    const base = baseOf(place);
    const isEmpty = () => (info.isDirectory() ? call.view.list(place).length === 0 : info.size === 0);
    if (depth >= depths.least && test({ place, base, info, depth, isEmpty })) call.write(`${place.name}${end}`);
    if (!info.isDirectory() || depth >= depths.most) return;
    const folder = place.name === "." ? { ...place, name: "./" } : place;
    for (const each of call.view.list(folder)) visit(each, depth + 1);
  };
  for (const path of paths.length === 0 ? ["."] : paths) {
    const place = call.view.locate(path);
    if (call.view.stat(place) === undefined) {
      missing(call, path);
      status = 1;
    } else visit(place, 0);
  }
  return status;
};

interface Expression {
  test: Test;
  depths: { least: number; most: number };
  end: string;
}

function readExpression(call: Call, words: readonly string[]): Expression {
  const rest = [...words];
  const depths = { least: 0, most: Infinity };
  let end = "\n";
  const value = (option: string): string => {
    const word = rest.shift();
    if (word === undefined) throw misuse(call.name, `${option} needs a value`);
    return word;
  };
  const single = (word: string): Test => {
    if (word === "(") {
      const inner = any();
      if (rest.shift() !== ")") throw misuse(call.name, "a bracket is not closed");
      return inner;
    }
    if (word === "!" || word === "-not") {
      const next = single(value(word));
      return (candidate) => !next(candidate);
    }
    if (word === "-maxdepth") depths.most = readCount(call.name, value(word));
    else if (word === "-mindepth") depths.least = readCount(call.name, value(word));
    else if (word === "-print0") end = "\0";
    else if (word !== "-print") return createTest(call, word, () => value(word));
    return () => true;
  };
  const all = (): Test => {
    const tests: Test[] = [];
    while (rest.length > 0 && rest[0] !== ")" && rest[0] !== "-o" && rest[0] !== "-or") {
      const word = rest.shift() ?? "";
      if (word !== "-a" && word !== "-and") tests.push(single(word));
    }
    return (candidate) => tests.every((test) => test(candidate));
  };
  const any = (): Test => {
    const tests = [all()];
    while (rest[0] === "-o" || rest[0] === "-or") {
      rest.shift();
      tests.push(all());
    }
    return (candidate) => tests.some((test) => test(candidate));
  };
  const test = any();
  if (rest.length > 0) throw misuse(call.name, `${JSON.stringify(rest[0])} is not expected here`);
  return { test, depths, end };
}

const DAY = 86_400_000;
const BYTES: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, M: 1024 ** 2, G: 1024 ** 3, "": 512 };

function createTest(call: Call, option: string, value: () => string): Test {
  if (option === "-name" || option === "-iname") {
    const glob = globPattern(value(), option === "-iname" ? "i" : "", "[\\s\\S]");
    return ({ base }) => glob.test(base);
  }
  if (option === "-path" || option === "-ipath" || option === "-wholename") {
    const glob = globPattern(value(), option === "-ipath" ? "i" : "", "[\\s\\S]");
    return ({ place }) => glob.test(place.name);
  }
  if (option === "-regex" || option === "-iregex") {
    const source = toPattern(value(), "basic").source;
    const pattern = toPattern(`^(?:${source})$`, "perl", option === "-iregex" ? "i" : "");
    return ({ place }) => pattern.test(place.name);
  }
  if (option === "-type") {
    const kind = value();
    if (!/^[fdl]$/.test(kind)) throw misuse(call.name, `-type ${kind} cannot be used here`);
    return ({ info }) => (kind === "f" ? info.isFile() : kind === "d" && info.isDirectory());
  }
  if (option === "-empty") return (candidate) => candidate.isEmpty();
  if (option === "-newer") {
    const place = call.view.locate(value());
    const since = call.view.stat(place)?.mtimeMs ?? Infinity;
    return ({ info }) => info.mtimeMs > since;
  }
  if (option === "-size") {
    const [, sign = "", digits = "", unit = ""] = /^([+-]?)(\d{1,12})([cwbkMG]?)$/.exec(value()) ?? [];
    if (digits === "") throw misuse(call.name, "-size needs a number such as +10k");
    return ({ info }) => compare(sign, Math.ceil(info.size / (BYTES[unit] ?? 512)), Number(digits));
  }
  if (option === "-mtime" || option === "-mmin") {
    const [, sign = "", digits = ""] = /^([+-]?)(\d{1,9})$/.exec(value()) ?? [];
    if (digits === "") throw misuse(call.name, `${option} needs a number such as -7`);
    const unit = option === "-mtime" ? DAY : 60_000;
    return ({ info }) => compare(sign, Math.floor((call.now.getTime() - info.mtimeMs) / unit), Number(digits));
  }
  throw misuse(call.name, `${option} cannot be used here`);
}

function compare(sign: string, actual: number, wanted: number): boolean {
  return sign === "+" ? actual > wanted : sign === "-" ? actual < wanted : actual === wanted;
}
