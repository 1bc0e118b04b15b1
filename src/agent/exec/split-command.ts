import type { Word } from "./expand-words.ts";

/** A command line as words, one list for each command of a pipe; or why it is refused. */
export type SplitCommand = { ok: true; commands: Word[][] } | { ok: false; reason: string };

const OPERATORS: Readonly<Record<string, string>> = {
  ";": "several commands",
  "&": "background and chained commands",
  ">": "writing to a file",
  "<": "reading by redirection",
  "(": "sub-shells",
  ")": "sub-shells",
  "\n": "several lines",
  "\r": "several lines",
  "`": "command substitution",
  $: "variables and command substitution",
};

/**
 * Splits a command line as a shell would, without being one: quotes and backslashes work, a pipe parts commands, and
 * everything else that a shell would act on is refused.
 */
export function splitCommand(line: string): SplitCommand {
  const commands: Word[][] = [[]];
  let word: Word | undefined;
  const add = (text: string, isPattern = false): void => {
    word ??= { text: "", isPattern: false };
    word.text += text;
    word.isPattern ||= isPattern;
  };
  const endWord = (): void => {
    if (word) commands.at(-1)?.push(word);
    word = undefined;
  };
  if (line.includes("\0")) return refuse("a NUL character");
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "'" || character === '"') {
      const quoted = readQuoted(line, at);
      if (quoted === undefined) return refuse("a quote that does not end");
      if (quoted.hasExpansion) return refuse("variables and command substitution (in \"…\"; use '…' for plain text)");
      add(quoted.text);
      at = quoted.end;
    } else if (character === "\\" && at + 1 < line.length && line.charAt(at + 1) !== "\n") {
      add(line.charAt(++at));
    } else if (character === " " || character === "\t") endWord();
    else if (character === "|") {
      if (line.charAt(at + 1) === "|" || line.charAt(at + 1) === "&") return refuse("chained commands");
      endWord();
      commands.push([]);
    } else if (character in OPERATORS) return refuse(OPERATORS[character] ?? character);
    else if (character === "~" && word === undefined) return refuse("the home folder");
    else if (character === "#" && word === undefined) return refuse("comments");
    else add(character, /[*?[]/.test(character));
  }
  endWord();
  if (commands.some((words) => words.length === 0)) return refuse("an empty command");
  return { ok: true, commands };
}

interface Quoted {
  text: string;
  end: number;
  hasExpansion: boolean;
}

function readQuoted(line: string, start: number): Quoted | undefined {
  const quote = line.charAt(start);
  let text = "";
  let hasExpansion = false;
  for (let at = start + 1; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === quote) return { text, end: at, hasExpansion };
    if (quote === '"' && character === "\\" && /["\\$`]/.test(line.charAt(at + 1))) text += line.charAt(++at);
    else {
      // A shell would run this; as plain text it would mean something else than was asked for.
      hasExpansion ||= quote === '"' && (character === "`" || /^\$[({\w]/.test(line.slice(at, at + 2)));
      text += character;
    }
  }
  return undefined;
}

function refuse(what: string): SplitCommand {
  return { ok: false, reason: `${what} cannot be used here: there is no shell, only single commands and pipes` };
}
