import { MemoryError } from "../../errors.ts";

/** In which language a pattern is written. */
export type Dialect = "basic" | "extended" | "perl" | "fixed";

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: "\\s",
  blank: " \\t",
  punct: "\\p{P}\\p{S}",
  cntrl: "\\p{Cc}",
  xdigit: "0-9A-Fa-f",
  word: "\\w",
  print: "\\P{C}",
  graph: "\\P{C}",
};
const SPECIAL = "(){}|+?";

/** A pattern of grep or sed as a regular expression of JavaScript. */
export function toPattern(source: string, dialect: Dialect, flags = ""): RegExp {
  const translated =
    dialect === "fixed" ? quotePattern(source) : dialect === "perl" ? source : translate(source, dialect === "basic");
  try {
    return new RegExp(translated, `u${flags}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new MemoryError("PATH_REFUSED", `${JSON.stringify(source)} is not a valid pattern`);
  }
}

/** A text that stands for itself in a pattern. */
function quotePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, (character) => (character === "-" ? "\\x2d" : `\\${character}`));
}

/** A file name with `*`, `?` and `[…]` as a regular expression for whole names. */
export function globPattern(glob: string, flags = "", any = "[^/]"): RegExp {
  const source = glob.replaceAll(/\\[\s\S]|\[[!^]?\]?[^\]]{0,400}\]|[\s\S]/gu, (piece) => {
    if (piece === "*") return `${any}*`;
    if (piece === "?") return any;
    if (piece.length > 2 && piece.startsWith("[")) return readSet(piece.replace("[!", "[^"), 0).text;
    return quotePattern(piece.length > 1 && piece.startsWith("\\") ? piece.slice(1) : piece);
  });
  return toPattern(`^(?:${source})$`, "perl", `s${flags}`);
}

function translate(source: string, isBasic: boolean): string {
  let out = "";
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "[") {
      const set = readSet(source, at);
      out += set.text;
      at = set.end;
    } else if (character === "\\") {
      const next = source.charAt(++at);
      if (isBasic && SPECIAL.includes(next) && next !== "") out += next;
      else if (next === "<") out += "\\b(?=\\w)";
      else if (next === ">") out += "\\b(?<=\\w)";
      else out += /[wWsSbBdDnt1-9]/.test(next) ? `\\${next}` : quotePattern(next === "" ? "\\" : next);
    } else if (isBasic && SPECIAL.includes(character)) out += `\\${character}`;
    // A star with nothing before it is a star.
    else if (character === "*" && (out === "" || out === "^" || out.endsWith("("))) out += "\\*";
    else if ((character === "{" && !/^\{\d*,?\d*\}/.test(source.slice(at))) || character === "]" || character === "/") {
      out += `\\${character}`;
    } else if (character === "}" && !/\{\d*,?\d*$/.test(out)) out += "\\}";
    else out += character === "\n" ? "|" : character;
  }
  return out;
}

/** A set such as `[^[:alpha:]x-z]`, from its bracket on. */
function readSet(source: string, start: number): { text: string; end: number } {
  let at = start + 1;
  let out = "[";
  if (source.charAt(at) === "^") {
    out += "^";
    at++;
  }
  for (let isFirst = true; at < source.length; isFirst = false) {
    const character = source.charAt(at);
    if (character === "]" && !isFirst) return { text: `${out}]`, end: at };
    const named = /^\[:([a-z]+):\]/.exec(source.slice(at, at + 12));
    if (named) {
      out += CLASSES[named[1] ?? ""] ?? "";
      at += named[0].length;
    } else {
      out +=
        /[\\[\]^|]/.test(character) || (character === "-" && (isFirst || source.charAt(at + 1) === "]"))
          ? `\\${character}`
          : character;
      at++;
    }
  }
  throw new MemoryError("PATH_REFUSED", `${JSON.stringify(source)} is not a valid pattern: a bracket is not closed`);
}
