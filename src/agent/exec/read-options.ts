import { misuse } from "./call.ts";

/** Which options a command knows; everything else is refused. */
export interface OptionTable {
  /** Letters without a value. */
  flags?: string;
  /** Letters with a value. */
  values?: string;
  /** Long names, and the letter or name that they stand for. */
  long?: Readonly<Record<string, string>>;
  /** Names (of `long`) that take a value. */
  longValues?: readonly string[];
  /** `-5` means `-n 5`. */
  hasNumber?: boolean;
}

/** What was asked for. */
export interface Options {
  has(flag: string): boolean;
  /** The last value that was given. */
  value(name: string): string | undefined;
  all(name: string): readonly string[];
  plain: readonly string[];
}

/** Reads options as GNU programs do, clusters and all, but knows only those of the table. */
export function readOptions(command: string, words: readonly string[], table: OptionTable): Options {
  const { flags = "", values = "", long = {}, longValues = [], hasNumber = false } = table;
  const given = new Map<string, string[]>();
  const plain: string[] = [];
  const note = (name: string, value = ""): void => {
    given.set(name, [...(given.get(name) ?? []), value]);
  };
  const rest = [...words];
  const next = (option: string): string => {
    const value = rest.shift();
    if (value === undefined) throw misuse(command, `${option} needs a value`);
    return value;
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      plain.push(...rest.splice(0));
    } else if (word.startsWith("--")) {
      const [, name = "", value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const meant = Object.hasOwn(long, name) ? long[name] : undefined;
      if (meant === undefined) throw unknown(command, word);
      if (!longValues.includes(meant) && !values.includes(meant)) note(meant);
      else note(meant, value ?? next(word));
    } else if (word.startsWith("-") && word !== "-") {
      if (hasNumber && /^-\d+$/.test(word)) {
        note("n", word.slice(1));
        continue;
      }
      for (let at = 1; at < word.length; at++) {
        const letter = word.charAt(at);
        if (flags.includes(letter)) {
          note(letter);
          continue;
        }
        if (!values.includes(letter)) throw unknown(command, word);
        note(letter, word.slice(at + 1) || next(`-${letter}`));
        break;
      }
    } else plain.push(word);
  }
  return {
    has: (flag) => given.has(flag),
    value: (name) => given.get(name)?.at(-1),
    all: (name) => given.get(name) ?? [],
    plain,
  };
}

function unknown(command: string, word: string) {
  return misuse(command, `the option ${word} cannot be used here`);
}
