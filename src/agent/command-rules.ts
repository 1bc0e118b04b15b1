/** What of a command is refused, because it runs or writes something, or reads names from elsewhere. */
interface CommandRule {
  /** Single letters, in any cluster of short options. */
  letters?: string;
  /** Short options in which the letters mean nothing. */
  harmless?: RegExp;
  /** Long options without dashes; their abbreviations count as well. */
  options?: readonly string[];
  /** Words that are refused as they stand (find's own language). */
  words?: RegExp;
  /** What a recursive search leaves alone. */
  skips?: readonly string[];
  /** How many plain arguments there may be. */
  mostPlain?: number;
  /** Arguments are no paths at all. */
  hasNoPaths?: boolean;
  /** The first plain argument is a pattern. */
  hasPattern?: boolean;
  /** It shows names only, never what is in files: it may look at folders that hold others' files. */
  isListing?: boolean;
}

const SKIPPED = ["sessions", ".tidemark"];
const GREP: CommandRule = {
  letters: "R",
  options: ["dereference-recursive"],
  skips: [
    ...SKIPPED.map((name) => `--exclude-dir=${name}`),
    "--exclude-dir=scopes",
    "--exclude=config.json",
    "--exclude=config.yaml",
    "--exclude=config.yml",
  ],
  hasPattern: true,
};

const RULES: Readonly<Record<string, CommandRule>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    letters: "L",
    options: ["pre", "pre-glob", "follow", "hostname-bin", "search-zip"],
    skips: [...SKIPPED, "scopes"].flatMap((name) => ["--glob", `!${name}`]).concat("--glob", "!config.*"),
    hasPattern: true,
  },
  find: { words: /^-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from|L|H|follow)$/, isListing: true },
  sort: { letters: "oT", options: ["output", "temporary-directory", "compress-program", "files0-from"] },
  uniq: { mostPlain: 1 },
  wc: { options: ["files0-from"] },
  du: { letters: "LHD", options: ["files0-from", "dereference", "dereference-args"], isListing: true },
  ls: {
    letters: "LH",
    options: ["dereference", "dereference-command-line", "dereference-command-line-symlink-to-dir"],
    isListing: true,
  },
  stat: { isListing: true },
  diff: { letters: "r", options: ["recursive"] },
  date: { letters: "sfr", harmless: /^-I/, options: ["set", "file", "reference"], hasNoPaths: true },
  tr: { hasNoPaths: true },
  file: { letters: "CfmzZ", options: ["compile", "files-from", "magic-file", "uncompress"] },
};

const NO_RULE: CommandRule = {};

/** The rule of a command; those that nobody thought of have none. */
export function ruleOf(name: string): CommandRule {
  return Object.hasOwn(RULES, name) ? (RULES[name] ?? NO_RULE) : NO_RULE;
}

/** A command's arguments with what makes it leave alone what is not this session's. */
export function guardedArguments(name: string, words: readonly string[], ownMemory: string): string[] {
  const { skips } = ruleOf(name);
  if (skips === undefined) return [...words];
  const others = ownMemory === "memory" ? [] : name === "rg" ? ["--glob", "!memory"] : ["--exclude-dir=memory"];
  // Of two that contradict each other the last one counts, so ours come last; an option that lacks its value would take
  // the first word after it, so that one is a dummy.
  const dummy = name === "rg" ? ["--glob", "!.nothing"] : ["--exclude=.nothing"];
  const ended = words.indexOf("--");
  const at = ended < 0 ? words.length : ended;
  return [...words.slice(0, at), ...dummy, ...skips, ...others, ...words.slice(at)];
}

/** Which argument of an allowed command is refused, and why. */
export function refusedArgument(name: string, words: readonly string[]): string | undefined {
  const rule = ruleOf(name);
  const ended = words.indexOf("--");
  const options = words.filter((word, index) => word.startsWith("-") && (ended < 0 || index < ended));
  const bad = options.find((word) => isRefusedOption(rule, word));
  if (bad !== undefined) return `${name} ${bad} is refused: it could run, write or read something else`;
  const plain = words.filter((word) => !word.startsWith("-") || word === "-");
  if (rule.mostPlain !== undefined && plain.length > rule.mostPlain) {
    return `${name} with more than ${rule.mostPlain} plain argument is refused: it would write to the last one`;
  }
  return undefined;
}

function isRefusedOption({ letters = "", harmless, options = [], words }: CommandRule, word: string): boolean {
  if (words?.test(word)) return true;
  if (!word.startsWith("--")) {
    return harmless?.test(word) !== true && [...letters].some((letter) => word.slice(1).includes(letter));
  }
  const name = word.slice(2).split("=")[0] ?? "";
  // GNU programs take any beginning that is clear enough.
  return name !== "" && options.some((option) => option.startsWith(name));
}
