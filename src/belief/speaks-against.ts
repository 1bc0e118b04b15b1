import { contentWords, shareOf } from "../language/content-words.ts";
import { detectLanguage } from "../language/language.ts";
import { packOf } from "../language/packs.ts";
import { parseQuotation } from "./quotation.ts";
import type { Quotation } from "./quotation.ts";
import { relationOf, valuesIn } from "./read-message.ts";

/** A line of memory, or one that this talk adds. */
export interface Held {
  line: string;
  quotation: Quotation | undefined;
  subject: Subject;
  /** What it is not any more since. */
  over: Quotation | undefined;
  isGone: boolean;
}

/** What a line is about, as far as another could speak against it. */
export interface Subject {
  words: ReadonlySet<string>;
  names: ReadonlySet<string>;
  relation: Quotation["relation"];
  isOwn: boolean;
  isDenial: boolean;
}

/** Whether what is said now takes the place of a line, or denies it: the same subject, in so many words. */
export function speaksAgainst(now: Subject, old: Subject): boolean {
  if (!now.isOwn || !old.isOwn) return false;
  if (now.relation !== undefined && now.relation === old.relation) {
    const [fresh, before] = [now.words, old.words];
    const isNamed = [...now.names].some((name) => old.names.has(name));
    const isSame = isNamed || shareOf(fresh, before) === 1 || shareOf(before, fresh) === 1;
    if (now.relation.startsWith("appointment")) return !isSame && isSameAppointment(now, old);
    return !isSame;
  }
  if (!now.isDenial || old.isDenial || now.words.size === 0) return false;
  if (shareOf(old.words, now.words) === 1) return true;
  if (now.words.size > 1 && shareOf(now.words, old.words) === 1) return true;
  return [...now.names].some((name) => old.names.has(name)) && now.relation === undefined && now.words.size <= 3;
}

/** The same thing at another time: all of its words but the time. */
function isSameAppointment(now: Subject, old: Subject): boolean {
  const bare = ({ words }: Subject) => new Set([...words].filter((word) => !/\d|da[yi]$|tag$/.test(word)));
  const [one, other] = [bare(now), bare(old)];
  return one.size > 0 && shareOf(one, other) === 1 && shareOf(other, one) === 1;
}

export function subjectOf({ words, relation, isOwn, isDenial }: Quotation): Subject {
  return { ...wordsOf(words), relation, isOwn, isDenial };
}

/** What a line of memory is about; a model writes "User lives in …". */
export function subjectOfLine(line: string): Subject {
  const quoted = parseQuotation(line);
  const text = quoted?.words ?? line;
  const pack = packOf(detectLanguage(text));
  const plain = pack.plain(text);
  const isOwn =
    quoted?.earlier === undefined &&
    quoted?.subject === undefined &&
    ((pack.begins("self", plain) !== null && pack.begins("mine", plain) === null) ||
      /^User (?!'s)/.test(text) ||
      relationOf(pack, text) !== undefined);
  const relation =
    relationOf(pack, text) ??
    (pack.has("appointment", plain) && valuesIn(text, pack.code).length > 0 ? "appointment any" : undefined);
  return {
    ...wordsOf(text.replace(/^User(?:'s)? /, "")),
    relation: isOwn || relation === "appointment any" ? relation : undefined,
    isOwn: isOwn || relation === "appointment any",
    isDenial: pack.has("denies", plain) || pack.has("ended", plain),
  };
}

const FUNCTION = contentWords(
  "not never no longer anymore any more stopped stop quit gave given up sold sell cancelled used finished dropped test negative left",
);

export function wordsOf(text: string): Pick<Subject, "words" | "names"> {
  const pack = packOf(detectLanguage(text));
  const bare = pack.isSpaced
    ? (text.match(/[\p{L}\p{M}\p{N}'’.-]+/gu) ?? []).filter(
        (word) => !pack.has("denies", ` ${word.toLowerCase()} `) && !pack.has("passing", ` ${word.toLowerCase()} `),
      )
    : [text];
  const words = new Set([...contentWords(bare.join(" "))].filter((word) => !FUNCTION.has(word)));
  const names = contentWords((text.match(/(?<=\S\s)\p{Lu}[\p{L}\p{N}]+/gu) ?? []).join(" "));
  return { words, names };
}
