import { ideasOf } from "./concepts.ts";
import type { Question, Wanted } from "./question.ts";

/** Something on record that may answer. */
export interface Statement {
  id: string;
  /** The words, and what was made of them. */
  text: string;
  /** When it was said; sorts as text. */
  date: string;
}

/** A statement with how well it answers. */
export interface Ranked<Item extends Statement> {
  item: Item;
  score: number;
}

// Below this share of what was asked, it is about something else.
const LEAST_COVERED = 0.5;
const NEAR_THE_BEST = 0.62;
const RECENCY = 0.3;

/** Orders statements by how well they answer, newest first among equals; empty where nothing is about the question. */
export function rankStatements<Item extends Statement>(question: Question, items: readonly Item[]): Ranked<Item>[] {
  const known = items.map((item) => ({ item, own: ideasOf(item.text) }));
  const counts = new Map<string, number>();
  for (const { own } of known) for (const idea of own) counts.set(idea, (counts.get(idea) ?? 0) + 1);
  const weigh = (idea: string): number => Math.log(1 + known.length / (1 + (counts.get(idea) ?? 0)));
  const inherited = inheritIdeas(known, counts);
  const scored = known.map(({ item, own }) => {
    const later = inherited.get(item.id) ?? new Set<string>();
    return { item, ...scoreOf(question, own, later, item.text, weigh) };
  });
  const about = scored.filter(({ covered }) => covered >= LEAST_COVERED).toSorted((one, other) => other.score - one.score);
  const best = about[0]?.score ?? 0;
  const near = about.filter(({ score }) => score >= best * NEAR_THE_BEST);
  const days = [...new Set(near.map(({ item }) => item.date))].toSorted();
  return near
    .map(({ item, score }) => ({ item, score: score * (1 + (RECENCY * (days.indexOf(item.date) + 1)) / days.length) }))
    .toSorted((one, other) => other.score - one.score);
}

function scoreOf(
  { core, weak, wanted }: Question,
  own: ReadonlySet<string>,
  later: ReadonlySet<string>,
  text: string,
  weigh: (idea: string) => number,
): { covered: number; score: number } {
  const strength = (idea: string): number => (own.has(idea) ? 1 : later.has(idea) ? 0.8 : 0);
  const total = sum(core, weigh);
  const covered = total === 0 ? 0 : sum(core, (idea) => weigh(idea) * strength(idea)) / total;
  const aside = weak.size === 0 ? 0 : sum(weak, strength) / weak.size;
  const value = wanted !== undefined && HOLDS[wanted].test(text) ? 0.25 : 0;
  // A short statement is about what it names; a long one names many things.
  const focus = 0.1 / Math.sqrt(1 + own.size / 8);
  return { covered, score: covered + 0.25 * aside + value + focus };
}

function sum(ideas: ReadonlySet<string>, of: (idea: string) => number): number {
  let total = 0;
  for (const idea of ideas) total += of(idea);
  return total;
}

const MONTHS = `jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|ene|abr|ago|dic|fév|avr|juin|juil|aoû|déc|fev|set|out|gen|mag|giu|lug|ott|mrt|maa|mei`;
const HOLDS: Readonly<Record<Exclude<Wanted, undefined>, RegExp>> = {
  day: /\b(?:mon|tue|wed|thu|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|segunda|terça|quarta|quinta|sexta|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)/iu,
  time: new RegExp(`\\d{4}|\\b(?:${MONTHS})\\p{L}*|\\d{1,2}(?:st|nd|rd|th|\\.| (?:de|di) )|\\d:\\d\\d|[月日年]`, "iu"),
  place: /\b(?:in|at|near|to|on|im|bei|en|em|à|a|chez|na|no|nel|te) (?:the )?\p{Lu}|straße|street|road|在|に/u,
  number: /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|thirty|fifty|hundred)\b/iu,
  person: /(?<=\S )\p{Lu}\p{Ll}+|[叫是]|です/u,
};

// A statement that changes something goes on with what the older one was about: "sold the Yeti" is about the car.
const CHANGES =
  /\b(?:sold|bought|moved|moving|switched|stopped|quit|died|left|now|no longer|changed|instead|any ?more|not|new|again|back|cancelled|broke up|handed in|promoted|scratch|went with|pushed|finished|isn't|passed away|flown|takes over|verkauft|gekauft|gewechselt|jetzt|nicht mehr|kein\w*|verschoben|neue[rs]?|ab|fällt|gestorben|umgezogen|vendí|vendido|ahora|ya no|cambié|nuevo|nueva|dejé|murió|vendu|maintenant|plus|changé|nouveau|nouvelle|arrêté|vendi|agora|mudou|mudei|parei|saiu|novo|nova|não|deixei|comprei|voltei|terminamos|venduto|adesso|cambiato|nuovo|nuova|smesso|verkocht|nu|niet meer|gestopt|nieuwe?)\b|不|没|换|卖|搬|もう|新し|やめ/iu;

function inheritIdeas(
  known: readonly { item: Statement; own: ReadonlySet<string> }[],
  counts: ReadonlyMap<string, number>,
): Map<string, Set<string>> {
  const inherited = new Map<string, Set<string>>();
  const isRare = (idea: string): boolean => (counts.get(idea) ?? 0) <= Math.max(3, known.length / 12) && idea.length > 2;
  for (const { item, own } of known) {
    if (!CHANGES.test(item.text)) continue;
    const ideas = new Set<string>();
    for (const older of known) {
      if (older.item.date >= item.date || older.item.id === item.id) continue;
      if (![...own].some((idea) => isRare(idea) && older.own.has(idea))) continue;
      for (const idea of older.own) if (!own.has(idea)) ideas.add(idea);
    }
    inherited.set(item.id, ideas);
  }
  return inherited;
}
