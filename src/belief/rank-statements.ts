import type { Relation } from "../language/packs.ts";
import { splitIntoSentences } from "../language/sentences.ts";
import { stemWord } from "../language/content-words.ts";
import { ideasOf, ideasOnRecord, isNamedIdea, ownIdeas } from "./ideas.ts";
import type { Question, Wanted } from "./question.ts";

/** Something on record that may answer. */
export interface Statement {
  id: string;
  /** The words, and what was made of them. */
  text: string;
  /** When it was said; sorts as text. */
  date: string;
  /** It was taken back since. */
  isOver?: boolean;
  /** The families of the facts that were drawn from it. */
  families?: ReadonlySet<Relation>;
}

/** A statement with how well it answers. */
export interface Ranked<Item extends Statement> {
  item: Item;
  score: number;
}

// Below this share of what was asked, it is about something else.
const LEAST_COVERED = 0.45;
const NEAR_THE_BEST = 0.62;
const RECENCY = 0.15;
const CHANGE_RECENCY = 0.45;
const OVER = 0.6;

/** Orders statements by how well they answer, newest first among equals; empty where nothing is about the question. */
export function rankStatements<Item extends Statement>(question: Question, items: readonly Item[]): Ranked<Item>[] {
  const known = items.map((item) => ({
    item,
    own: ideasOnRecord(item.text),
    parts: splitIntoSentences(item.text)
      .flatMap((text) => text.split(/,\s+(?=\S+(?: \S+)? \()/))
      .map((text) => ({ text, ideas: ideasOnRecord(text) })),
  }));
  const counts = new Map<string, number>();
  for (const { own } of known) for (const idea of own) counts.set(idea, (counts.get(idea) ?? 0) + 1);
  // A word that nothing on record has says less than a rare one: it may be another word for the same.
  const weigh = (idea: string): number => {
    const count = counts.get(idea) ?? 0;
    return Math.log(1 + known.length / (1 + count)) * (count === 0 ? 0.75 : 1);
  };
  const inherited = inheritIdeas(known, counts, question.core);
  const scored = known.map(({ item, own }) => {
    const later = inherited.get(item.id) ?? new Set<string>();
    const { covered, score } = scoreOf(question, own, later, item.text, weigh);
    return { item, covered, score: (score + affinity(question, item, own)) * (item.isOver ? OVER : 1) };
  });
  const about = scored
    .filter(({ covered }) => covered >= LEAST_COVERED)
    .toSorted((one, other) => other.score - one.score);
  const best = about[0]?.score ?? 0;
  const near = about.filter(({ score }) => score >= best * NEAR_THE_BEST);
  const days = [...new Set(near.map(({ item }) => item.date))].toSorted();
  const ranked = near.map(({ item, score }) => {
    const recency = (inherited.get(item.id)?.size ?? 0) > 0 || CHANGES.test(item.text) ? CHANGE_RECENCY : RECENCY;
    return { item, score: score * (1 + (recency * (days.indexOf(item.date) + 1)) / days.length) };
  });
  // A question that is answered by yes or no names what it asks about: what does not name it is no answer.
  if (question.isYesNo) return ranked.toSorted((one, other) => other.score - one.score);
  return putChangesFirst(ranked, items, question.core).toSorted((one, other) => other.score - one.score);
}

/** "Scratch NATS, we went with RabbitMQ" comes before the NATS that it gives up, though it does not say what either is for. */
function putChangesFirst<Item extends Statement>(
  ranked: readonly Ranked<Item>[],
  items: readonly Item[],
  core: ReadonlySet<string>,
): Ranked<Item>[] {
  const scores = new Map(ranked.map(({ item, score }) => [item, score]));
  for (const item of items) {
    const name = givesUp(item.text);
    const givenUp = name === undefined ? "" : stemWord(name.toLowerCase());
    if (givenUp === "" || core.has(givenUp)) continue;
    for (const older of ranked) {
      if (older.item.date >= item.date || !namesIn(older.item.text).has(givenUp)) continue;
      scores.set(item, Math.max(scores.get(item) ?? 0, older.score * 1.01));
    }
  }
  return [...scores].map(([item, score]) => ({ item, score }));
}

/** What a statement gives up by its name: "scratch NATS", "no more NATS". */
export function givesUp(text: string): string | undefined {
  return GIVEN_UP.exec(text)?.[1];
}

const GIVEN_UP =
  /(?:^|[^\p{L}])(?:[Ss]cratch|[Ss]crap(?:ped)?|[Dd]itch(?:ed)?|[Dd]rop(?:ped)?|[Ff]orget|[Bb]inned|[Dd]umped|[Nn]o more|[Ii]nstead of|[Ss]tatt|[Ee]n lugar de|[Ee]n vez de|[Aa]u lieu de|[Ee]m vez de|[Ii]nvece di|[Ii]n plaats van) (\p{Lu}[\p{L}\p{N}-]+)/u;

function scoreOf(
  { core, weak, wanted, isYesNo }: Question,
  own: ReadonlySet<string>,
  later: ReadonlySet<string>,
  text: string,
  weigh: (idea: string) => number,
): { covered: number; score: number } {
  const direct = ideasOf(text);
  const strength = (idea: string): number => {
    if (own.has(idea)) return 1;
    // "Two children, Susan and Andrew" may well answer who the daughter is.
    if ((idea === "daughter" || idea === "son") && direct.has("child")) return 0.7;
    if (!later.has(idea)) return 0;
    return isYesNo ? 0.4 : 0.9;
  };
  const total = sum(core, weigh);
  const covered = total === 0 ? 0 : sum(core, (idea) => weigh(idea) * strength(idea)) / total;
  const aside = weak.size === 0 ? 0 : sum(weak, strength) / weak.size;
  const value = wanted !== undefined && HOLDS[wanted].test(text) ? 0.25 : 0;
  // A short statement is about what it names; a long one names many things.
  const focus = 0.1 / Math.sqrt(1 + own.size / 8);
  return { covered, score: covered + 0.25 * aside + value + focus };
}

/** What fits besides the words: one's own, of the right family, or who someone is. */
function affinity(question: Question, item: Statement, own: ReadonlySet<string>): number {
  const possessed = ownIdeas(item.text);
  const isOwn = [...question.own].some((idea) => possessed.has(idea)) ? 0.35 : 0;
  const isFamily = question.family !== undefined && item.families?.has(question.family) ? 0.4 : 0;
  const isWho =
    question.isWho && (own.has("family") || own.has("friend") || own.has("boss") || own.has("team")) ? 0.4 : 0;
  const isSelf = question.isSelf && SELF.test(item.text) ? 0.25 : 0;
  const isEnded = question.isStill && ENDED.test(item.text) ? 0.4 : 0;
  const isNamed = question.isName && NAMED.test(item.text) ? 0.25 : 0;
  return isOwn + isFamily + isWho + isSelf + isEnded + isNamed;
}

// Who tells of themselves may leave the "I" out: "sold the Skoda".
const SELF =
  /(?:^|[^\p{L}])(?:I|User|we|ich|wir|yo|je|j'|eu|io|ik)(?=[ '])|^(?!(?:my|our|the|his|her|their|he|she|it|they|mein|meine|mi|mon|ma|meu|minha|mio|mia|mijn)(?!\p{L}))\p{Ll}/u;
const ENDED =
  /\b(?:stopped|sold|no longer|not|never|quit|gave up|any ?more|isn't|don't|cancelled|left|died|nicht mehr|kein\p{L}*|verkauft|aufgehört|ya no|dejé|vendí|ne|plus|arrêté|vendu|não|parei|vendi|deixei|non|smesso|venduto|niet|geen|gestopt|verkocht)\b|不|没|ない|やめ/iu;
const NAMED =
  /(?:called|named|name(?:'s| is)?|heißt|heißen|llaman?|appelle|chamar?|chiama|heet|[a-zäöü] (?:is|are|ist|sind|es|est|é|è)(?: now| the| a| der| die| o)?|[:=,(]) \p{Lu}\p{Ll}+|叫|です/u;

function sum(ideas: ReadonlySet<string>, of: (idea: string) => number): number {
  let total = 0;
  for (const idea of ideas) total += of(idea);
  return total;
}

const MONTHS = `jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|ene|abr|ago|dic|fév|avr|juin|juil|aoû|déc|fev|set|out|gen|mag|giu|lug|ott|mrt|maa|mei`;
const HOLDS: Readonly<Record<Exclude<Wanted, undefined>, RegExp>> = {
  occupation:
    /\b(?:[Ii]'m|[Ii] am|[Ii] was|User is|User was|[Ww]orks? as) (?:now )?(?:an?|the) |\b[Ii]ch bin \p{Lu}|\b(?:[Ss]oy|[Jj]e suis|[Ss]ou|[Ss]ono|[Ii]k ben) |\bas an? |works for|arbeite als|head of/u,
  day: /\b(?:mon|tue|wed|thu|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|segunda|terça|quarta|quinta|sexta|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)/iu,
  time: new RegExp(`\\d{4}|\\b(?:${MONTHS})\\p{L}*|\\d{1,2}(?:st|nd|rd|th|\\.| (?:de|di) )|\\d:\\d\\d|[月日年]`, "iu"),
  place: /\b(?:in|at|near|to|on|im|bei|en|em|à|a|chez|na|no|nel|te) (?:the )?\p{Lu}|straße|street|road|在|に/u,
  number:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|thirty|fifty|hundred)\b/iu,
  person: /(?<=\S )\p{Lu}\p{Ll}+|[叫是]|です/u,
};

// A statement that changes something goes on with what the older one was about: "sold the Yeti" is about the car.
const CHANGES =
  /\b(?:sold|bought|moved|moving|switched|stopped|quit|died|left|now|no longer|changed|instead|any ?more|after all|new|cancelled|broke up|handed in|promoted|scratch|went with|pushed|finished|passed away|flown|takes over|put|raised|renewed|verkauft|gekauft|gewechselt|jetzt|nicht mehr|verschoben|neue[rs]?|ab (?:mai|juni|\p{Lu}\p{L}+)|fällt|gestorben|umgezogen|kein\p{L}* \p{L}+ mehr|vendí|vendido|ahora|ya no|cambié|nuevo|nueva|dejé|murió|vendu|maintenant|ne \p{L}+ plus|changé|nouveau|nouvelle|arrêté|vendi|agora|mudou|mudei|parei|saiu|novo|nova|não \p{L}+ mais|deixei|comprei|voltei|terminamos|venduto|adesso|cambiato|nuovo|nuova|smesso|verkocht|niet meer|gestopt|nieuwe?)\b|换|卖|搬|不再|もう|新し|やめ/iu;

const TIMES =
  /^(?:herr|frau|mrs|mr|dr|senor|madame|sr|road|street|strass|januar|februar|mar|april|may|jun|jul|august|septemb|octob|novemb|decemb|monda|tuesda|wednesda|thursda|frida|saturda|sunda|mont|dienst|mittwoch|donnerst|freit|samst|sonnt)/;

function namesIn(text: string): Set<string> {
  const names = text.replaceAll("User", "").match(/(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}-]+/gu) ?? [];
  return new Set(names.map((name) => stemWord(name.toLowerCase())));
}

// A word that more statements share is what the talk is about, not what this one goes on with.
const MOST_SHARED = 3;

interface Known {
  item: Statement;
  own: ReadonlySet<string>;
  parts: readonly { text: string; ideas: ReadonlySet<string> }[];
}

/** What changes something is about all that the older sentence was about which names the same thing. */
function inheritIdeas(
  known: readonly Known[],
  counts: ReadonlyMap<string, number>,
  core: ReadonlySet<string>,
): Map<string, Set<string>> {
  const inherited = new Map<string, Set<string>>();
  const isRare = (idea: string): boolean =>
    (counts.get(idea) ?? 0) <= MOST_SHARED && idea.length > 2 && !isNamedIdea(idea);
  const isKey = (idea: string, names: ReadonlySet<string>, older: string): boolean => {
    if (TIMES.test(idea)) return false;
    const isName = names.has(idea) || namesIn(older).has(idea);
    // Whom the question names itself leads nowhere else.
    if (isName && core.has(idea)) return false;
    if (idea.length > 7 || (idea.length > 4 && (counts.get(idea) ?? 0) === 2)) return true;
    return isName;
  };
  for (const { item, own } of known) {
    if (!CHANGES.test(item.text)) continue;
    const rare = [...own].filter((idea) => isRare(idea));
    const names = namesIn(item.text);
    const ideas = new Set<string>();
    for (const older of known) {
      if (older.item.date >= item.date || !rare.some((idea) => older.own.has(idea))) continue;
      for (const part of older.parts) {
        if (!rare.some((idea) => part.ideas.has(idea) && isKey(idea, names, part.text))) continue;
        for (const idea of part.ideas) if (!own.has(idea)) ideas.add(idea);
      }
    }
    inherited.set(item.id, ideas);
  }
  return inherited;
}
