import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { shippedPath } from "../shipped.ts";

const Unit = z.enum(["day", "week", "month", "year"]);
/** A stretch of the calendar. */
export type Unit = z.infer<typeof Unit>;

/** How a language says when; alternatives are parted by "|". */
const Times = z.strictObject({
  /** Words for one day, with how far it is from the day on which they were said. */
  days: z.array(z.tuple([z.string(), z.number()])),
  units: z.record(Unit, z.string()),
  /** Where the count and the unit stand: `{n} {unit} ago`. */
  ago: z.array(z.string()),
  ahead: z.array(z.string()),
  /** "last month", "next year": the words, the shift, the unit. */
  spans: z.array(z.tuple([z.string(), z.number(), Unit])),
  /** From Sunday on. */
  weekdays: z.array(z.string()).length(7),
  lastWeekday: z.array(z.string()),
  thisWeekday: z.array(z.string()),
  /** Of the calendar week after this one. */
  nextWeekday: z.array(z.string()),
  /** From January on. */
  months: z.array(z.string()).length(12),
  /** What stands before a month that is meant as a date. */
  before: z.string(),
  numbers: z.record(z.string(), z.number()),
});
export type Times = z.infer<typeof Times>;

/** The relations of which a person has one at a time. */
export const RELATIONS = ["name", "home", "work", "partner", "age", "phone"] as const;
export type Relation = (typeof RELATIONS)[number];
type Name = ClassName | Relation | `${Relation} over`;

const alternatives = z.string().default("");

/** Closed classes of a language: each is a list of alternatives, matched as whole words whatever their case. */
const Classes = z.object({
  /** What says nothing at the beginning of a clause. */
  fillers: alternatives,
  /** The user, who is spoken to, others, and what comes before something that is one's own. */
  self: alternatives,
  you: alternatives,
  third: alternatives,
  mine: alternatives,
  /** How a question begins; where words are not parted, what stands anywhere in it. */
  asks: alternatives,
  hedges: alternatives,
  reports: alternatives,
  /** A game or a supposition; nothing of the message is meant. */
  plays: alternatives,
  /** Orders that work on a text. */
  works: alternatives,
  jokes: alternatives,
  /** How a letter begins. */
  greets: alternatives,
  /** How a message begins that asks to remember, to forget, that corrects, that confirms. */
  remembers: alternatives,
  forgets: alternatives,
  corrects: alternatives,
  confirms: alternatives,
  /** Takes back what was said just before. */
  retracts: alternatives,
  denies: alternatives,
  /** Something is over. */
  ended: alternatives,
  /** Holds from now on. */
  standing: alternatives,
  passing: alternatives,
  recurring: alternatives,
  /** What takes place once, at a time that may change. */
  appointment: alternatives,
});
export type ClassName = keyof z.infer<typeof Classes>;

const PackFile = Classes.extend({
  /** Whether words are parted by spaces. */
  spaced: z.boolean().default(true),
  /** What tells the language: its script, letters of its own, words that it cannot do without. */
  script: z.string().optional(),
  letters: z.string().optional(),
  frequent: alternatives,
  /** What joins two clauses, what one begins with, what it is about, and what a subject follows without beginning one. */
  joins: alternatives,
  starts: alternatives,
  subjects: alternatives,
  links: alternatives,
  relations: z.partialRecord(z.enum(RELATIONS), z.string()).default({}),
  /** How a person says that a relation of theirs is over. */
  overs: z.partialRecord(z.enum(RELATIONS), z.string()).default({}),
  /** A question without a mark: how it begins and ends, and what ends alike and asks nothing. */
  inPlace: z.object({ opens: alternatives, closes: alternatives, unless: alternatives }).prefault({}),
  times: Times.optional(),
}).strict();

/** All that is of one language. */
export interface Pack {
  code: string;
  isSpaced: boolean;
  script: RegExp | undefined;
  letters: RegExp | undefined;
  words: Readonly<Record<"frequent" | "joins" | "starts" | "subjects" | "links", ReadonlySet<string>>>;
  times: Times | undefined;
  /** A text as the classes are looked for in it: lower case, one space around each word. */
  plain(text: string): string;
  /** Whether a class or a relation stands anywhere in a plain text, or right at its beginning. */
  has(name: Name, plain: string): boolean;
  begins(name: Name, plain: string): RegExpExecArray | null;
  /** "My dentist is called what": whether the question word stands where the answer would. */
  asksInPlace(text: string): boolean;
}

let shipped: readonly Pack[] | undefined;

/** The packs of this package, one folder a language. */
export function listPacks(): readonly Pack[] {
  return (shipped ??= readPacks(shippedPath("data/language/packs")));
}

/** The pack of a language; `other` has what can be said of languages that have none. */
export function packOf(code: string): Pack {
  const found = listPacks().find((pack) => pack.code === code) ?? listPacks().find((pack) => pack.code === "other");
  if (found === undefined) throw new RangeError("there is always a pack for other languages");
  return found;
}

function readPacks(folder: string): Pack[] {
  return readdirSync(folder)
    .toSorted()
    .map((code) => {
      const path = join(folder, code, "pack.json");
      const read = PackFile.safeParse(JSON.parse(readFileSync(path, "utf8")));
      if (read.success) return makePack(code, read.data);
      throw new MemoryError("CONFIG_INVALID", `Cannot read the language pack at ${path}: ${read.error.message}`);
    });
}

function makePack(code: string, file: z.infer<typeof PackFile>): Pack {
  const compiled = new Map<string, RegExp>();
  const pattern = (name: Name, isOpening: boolean): RegExp => {
    const key = `${name}${isOpening}`;
    const known = compiled.get(key);
    if (known) return known;
    const source = sourceOf(file, name);
    const made = compile(source ?? "", isOpening ? file.fillers : undefined, file.spaced);
    compiled.set(key, made);
    return made;
  };
  return {
    code,
    isSpaced: file.spaced,
    script: file.script === undefined ? undefined : new RegExp(file.script, "u"),
    letters: file.letters === undefined ? undefined : new RegExp(file.letters, "iu"),
    words: {
      frequent: setOf(file.frequent),
      joins: setOf(file.joins),
      starts: setOf(file.starts),
      subjects: setOf(file.subjects),
      links: setOf(file.links),
    },
    times: file.times,
    plain: (text) => (file.spaced ? plainWords(text) : text.toLowerCase()),
    has: (name, plain) => pattern(name, false).test(plain),
    begins: (name, plain) => pattern(name, true).exec(plain),
    asksInPlace: createAsking(file),
  };
}

function setOf(list: string): ReadonlySet<string> {
  return new Set(list.split("|").filter((word) => word !== ""));
}

function patternOf(source: string, flags: string): RegExp {
  return source === "" ? /(?!)/g : new RegExp(source, flags);
}

const LONGEST_END = 80;
const LONGEST_OPENED = 120;
const LONGEST_UNSPACED = 300;

function createAsking({ spaced, inPlace }: z.infer<typeof PackFile>): (text: string) => boolean {
  let made: { opens: RegExp; closes: RegExp; unless: RegExp } | undefined;
  return (text) => {
    made ??= {
      opens: patternOf(inPlace.opens, "u"),
      closes: patternOf(inPlace.closes, "u"),
      unless: patternOf(inPlace.unless, spaced ? "u" : "gu"),
    };
    const { opens, closes, unless } = made;
    if (!spaced) return closes.test(text.slice(0, LONGEST_UNSPACED).replaceAll(unless, " "));
    const lower = text.toLowerCase().replaceAll("’", "'");
    const end = lower.slice(-LONGEST_END);
    return (lower.length <= LONGEST_OPENED && opens.test(lower)) || (closes.test(end) && !unless.test(end));
  };
}

function sourceOf(file: z.infer<typeof PackFile>, name: Name): string | undefined {
  for (const relation of RELATIONS) {
    if (name === relation) return file.relations[relation];
    if (name === `${relation} over`) return file.overs[relation];
  }
  const found = Classes.keyof().safeParse(name);
  return found.success ? file[found.data] : undefined;
}

/** Words are looked for between spaces: that takes the engine a hundredth of what classes of letters take it. */
function compile(source: string, fillers: string | undefined, isSpaced: boolean): RegExp {
  if (source === "") return /(?!)/;
  if (!isSpaced) return new RegExp(fillers === undefined ? source : `^(?:${fillers}|[\\s，、,])*(?:${source})`, "u");
  const whole = `(?:${source})(?=[ :])`;
  return new RegExp(fillers === undefined ? ` ${whole}` : `^(?: (?:${fillers})(?= )){0,3} ${whole}`, "u");
}

function plainWords(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll(/[’‘´`]/g, "'")
    .replaceAll(/[^\p{L}\p{M}\p{N}'/:¿%+-]+/gu, " ");
  return ` ${words.replaceAll("¿", " ¿ ").trim()} `;
}
