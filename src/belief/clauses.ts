import { expandEnglish } from "./english-voice.ts";
import { ENGLISH_ELIDED } from "./languages/english-facts.ts";
import type { Table } from "./table.ts";
import { trimEnd } from "../language/trim-end.ts";

/** A clause: the words as they were said, and as they are read. */
export interface Clause {
  /** Verbatim, for the evidence. */
  said: string;
  /** Without fillers, contractions written out, in lower case but for names. */
  read: string;
}

/** The clauses of a sentence: "My name is Ada and I live in Lisbon" has two, "I like tea, cake and rain" one. */
export function splitClauses(sentence: string, table: Table): Clause[] {
  const pieces = sentence.split(breaksOf(table)).filter((piece) => piece !== undefined && piece !== "");
  const clauses: string[] = [];
  for (const piece of pieces) {
    const last = clauses.length - 1;
    const isFresh = clauses.length === 0 || startsClause(piece, table);
    if (isFresh) clauses.push(piece);
    else clauses[last] = `${clauses[last] ?? ""}${piece}`;
  }
  return clauses
    .map((said) => trimEnd(said.replace(/^[\s,;:，；、()–—-]+/u, ""), /[\s,;:，；、(–—]/u))
    .filter((said) => said !== "")
    .map((said) => ({ said, read: normalise(said, table) }));
}

// Said behind a statement, these add nothing to it.
const TRAILING =
  /,? (?:by the way|btw|tbh|lol|haha|though|actually|honestly|obviously|thanks|thank you|pls|please|you know|in case you (?:wonder|ask)|go figure|to be honest|for now|finally|too|as well)$/i;

const breaks = new Map<string, RegExp>();

/** A split before each comma, dash, bracket or joining word, which stay with what follows them. */
function breaksOf(table: Table): RegExp {
  const known = breaks.get(table.code);
  if (known) return known;
  const isWordless = table.code === "zh" || table.code === "ja";
  const made = isWordless
    ? /(?=[，；,;（(])|(?=(?:但是|但|而且|所以|不过|，))/u
    : new RegExp(
        `(?=[,;:] )|(?= [-–—] )|(?= \\()|(?<=\\)) |(?= ${table.joins.source.replace("(?<![\\p{L}\\p{N}])", "")})|(?= (?:[b-e]\\) ))|(?=[¿])`,
        "iu",
      );
  breaks.set(table.code, made);
  return made;
}

function startsClause(piece: string, table: Table): boolean {
  const bare = piece.replace(/^[\s,;:，；、()–—-]+/u, "");
  if (bare.startsWith("¿") || /^[b-e]\) /.test(bare)) return true;
  return table.clauseStart.test(normalise(bare, table));
}

/** A clause as the patterns read it. */
export function normalise(said: string, table: Table): string {
  const bare = said
    .replaceAll("’", "'")
    .replaceAll(/[\p{Extended_Pictographic}\u{FE0F}\u{200D}]/gu, " ")
    .replace(/^[\s"'“”«»„¡¿*_.!?…,;:()–—-]+/u, "");
  let text = withoutOpenBracket(withoutStop(bare)).replaceAll(/\s+/g, " ").trim();
  text = table.code === "en" ? expandEnglish(text).replace(TRAILING, "") : text;
  for (let before = ""; before !== text;) {
    before = text;
    const rest = text.replace(table.fillers, "").replace(/^[\s,;:.!?…，、–—-]+/u, "");
    if (rest !== "") text = rest;
  }
  const opened = table.code === "en" ? fronted(lowerOpening(text)) : lowerOpening(text);
  return table.code === "en" && ENGLISH_ELIDED.test(opened)
    ? `I ${opened.replace(/^(?=living|working|training|studying|learning|into|self|freelance)/, "am ").replace(/^(?=been )/, "have ")}`
    : opened;
}

/** Without the punctuation at its end; what stands right behind a number may belong to it. */
function withoutStop(text: string): string {
  const bare = trimEnd(text, /[\s.!?…。！？,;:，；–—-]/u);
  return /\d$/.test(bare.slice(-1)) ? text.slice(0, bare.length + 1) : bare;
}

/** Without a bracket that is never closed, and what stands in it. */
function withoutOpenBracket(text: string): string {
  const open = text.indexOf("(", text.lastIndexOf(")") + 1);
  return open < 0 ? text : text.slice(0, open).trimEnd();
}

/** "Last month I started at …" as "I started at … last month". */
function fronted(text: string): string {
  const found =
    /^((?:(?:in|on|since|until|till|by|last|next|this|from|back in|after|before|during|every|as of|for the next) [^,]{1,28}?)|yesterday|tomorrow|today|recently|nowadays),? (?=(?:I|we|my|our) )(.+)$/i.exec(
      text,
    );
  const [, when, rest] = found ?? [];
  return when === undefined || rest === undefined || /\b(?:I|we|my)\b/.test(when) ? text : `${rest} ${when}`;
}

// Words that open a sentence with a capital and are no names; all that comes from a closed class.
const OPENING =
  /^(?:My|Our|The|We|She|He|It|They|His|Her|Their|No|Not|Never|Please|Always|Allergic|There|This|That|Mine|Mum|Mom|Dad|Wife|Husband|Two|Three|Four|Someone|People|Don't|Do|Keep|Use|Answer|Call|Reply|Back|Used|Wedding|Birthday|Church|Bridge|Vegan|Vegetarian|Left|Moved|Bought|Sold|Live|Work|Worked|Grew|Born|Married|Divorced|Thinking|Cannot|Max|British|Tabs|Landline|Policy|Favourite|Favorite|Pronouns|Policies|Only|Every|Stop|Avoid|Write|Just|Ich|Wir|Mein|Meine|Meinen|Unser|Unsere|Der|Die|Das|Ein|Eine|Zwei|Drei|Bin|Hab|Habe|Wohne|Arbeite|Seit|Bis|Nicht|Kein|Keine|Nie|Immer|Bitte|Es|Sie|Er|Yo|Mi|Mis|Me|Soy|Vivo|Tengo|Trabajo|Nuestro|Nuestra|El|La|Los|Las|Un|Una|Je|J'|Mon|Ma|Mes|On|Nous|Notre|Nos|Le|Les|Il|Elle|L'|Eu|Meu|Minha|Meus|Minhas|Nosso|Nossa|O|A|Os|As|Sou|Moro|Tenho|Trabalho|Io|Mio|Mia|Miei|Sono|Ho|Abito|Lavoro|Lo|I|Gli|Ik|Mijn|We|Wij|Onze|Ons|De|Het|Een|Twee)(?=[\s']|$)/u;

function lowerOpening(text: string): string {
  if (/^I(?=[\s']|$)/.test(text)) return text;
  return OPENING.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}
