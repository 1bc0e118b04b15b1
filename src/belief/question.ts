import type { Relation } from "../language/packs.ts";
import { endsInQuestionMark } from "../language/question-mark.ts";
import { stemWord } from "../language/content-words.ts";
import { ideasOf, isNamedIdea, ownIdeas } from "./ideas.ts";
import { readClauses } from "./reader.ts";

/** What is asked for, by the question word. */
export type Wanted = "person" | "occupation" | "time" | "place" | "number" | "day" | undefined;

/** A question as far as it can be understood without a model. */
export interface Question {
  /** What it is about; nothing of it may be missing from a good answer. */
  core: ReadonlySet<string>;
  /** What it mentions besides. */
  weak: ReadonlySet<string>;
  wanted: Wanted;
  /** Several things may answer it. */
  isList: boolean;
  /** "What do you know about me?" */
  isEverything: boolean;
  /** What the asker calls their own: "my wife". */
  own: ReadonlySet<string>;
  /** Facts of this family answer it. */
  family: Relation | undefined;
  /** "Who is Imogen?" wants to know what she is to them. */
  isWho: boolean;
  /** It is about the asker: "do I", not "does she". */
  isSelf: boolean;
  /** "Do I still …?" */
  isStill: boolean;
  /** A name is wanted. */
  isName: boolean;
  /** Yes or no is wanted. */
  isYesNo: boolean;
}

const ASKING =
  /^(?:(?:and|so|ok|hey|please|und|y|et|e|en)\s+)*(?:who|whom|whose|what|whats|which|when|where|why|how|find|search|show|list|tell me|remind me|wer|was|wann|wo|wie|warum|wessen|wem|wohin|woher|welche[rsnm]?|in welche[rm]|an welche[rm]|seit wann|qué|quién|quiénes|dónde|cuándo|cómo|cuál|cuánto|qui|quand|où|comment|pourquoi|quel|quelle|combien|qu'est-ce|est-ce|quem|onde|quando|qual|quais|quanto|o que|em que|desde quando|chi|che|cosa|dove|quale|quanto|wie|wat|waar|wanneer|welke|hoe)(?![\p{L}])/iu;
// "Do not wait" and "Will is my brother" are told; "do I wait" is asked.
const INVERTED =
  /^(?:is|are|am|was|were|do|does|did|have|has|had|can|could|will|would|should|may)\s+(?:i|you|we|he|she|it|they|there|my|your|our|the|this|that)(?![\p{L}])/iu;
const TELLING = /\b(?:remember|note|don['’]t forget|keep in mind)\b.{0,20}\bthat\b/iu;

/** Whether something is asked, rather than told. */
export function isQuestion(text: string): boolean {
  const words = text.trim();
  if (TELLING.test(words)) return false;
  if (endsInQuestionMark(words)) return true;
  const clauses = readClauses(words.slice(-LONGEST_READ));
  const last = clauses.at(-1);
  if (last === undefined || clauses[0]?.opens.has("remembers")) return false;
  if ((ASKING.test(words) && !/[.!]$/.test(words)) || INVERTED.test(words)) return true;
  if (/[.!！。]$/u.test(words) && last.pack.isSpaced) return false;
  return clauses.some(({ sentence, isAsked }) => sentence === last.sentence && isAsked);
}

const EVERYTHING =
  /(?:what|everything|all)\b.{0,60}\b(?:know|remember|have)\b.{0,60}\b(?:about|on|of) me\b|what do you know\??$|who am i\b|was weißt du (?:alles )?über mich|qué sabes (?:de|sobre) mí|que sais-tu (?:de|sur) moi|tu sais quoi sur moi|o que (?:você sabe|sabes) (?:de|sobre) mim|(?:che )?cosa sai di me|wat weet je (?:van|over) mij|你知道我(?:什么|多少)|你对我了解|私について(?:何|なに)/iu;
const LIST =
  /\b(?:know about|list|all (?:my|our|the)|everything|what .{1,60} have i (?:had|been)|who (?:is|are|plays|comes|sits) (?:on|in|with|to)|which .{1,60}s\b|medicines|pets|children|kids|things|people|machines|weißt du über|welche|alle|sabes (?:de|sobre)|sais-tu|você sabe|o que (?:eu )?(?:não )?posso|cosa sai|weet je (?:van|over))/iu;

// Said in most questions, about nothing in particular.
const ASIDE = new Set(
  `know tell remember please still again currently name home like thing sort kind type day days time year called old really weißt weiß sabes sabe sais sai weet noch eigentlich todavía aún encore ainda ancora nog
  tag wochentag día jour dia giorno dag from go goes take use have had been new current live do mean much many often long word job start open play eat drink number phone size age run`.split(
    /\s+/,
  ),
);

// Question words and their verbs are about nothing; as stems, which is what ideas are made of.
const ASKED = contentWordsOf(
  `quanto quanta quantos quanti quante quale quali cuánto cuántos cuál cuáles combien quelles quels hoeveel welke welcher welche welchem welchen welches wohin woher warum wieso whose whom whats weißt weiß über
  soll sollte darf posso pode puedo puede peux peut mag kan know tell remember please still again currently meiner meines vou ainda todavía encore ancora nog eigentlich sabes sabe sais sai weet você faço heißt heißen ich mir about tu vous te je est-ce
  go going do did im ist was wer an em que über before after during now today over up out evening morning afternoon abend pro pra eu vai va fa sort kind ever meiner see`,
);

function contentWordsOf(text: string): Set<string> {
  return new Set(text.split(/\s+/).map((word) => stemWord(word)));
}

// Whoever pastes a file asks before it or behind it.
const LONGEST_READ = 4000;

/** Reads a question: what it is about, and what kind of thing would answer it. */
export function readQuestion(asked: string): Question {
  const text =
    asked.length > LONGEST_READ ? `${asked.slice(0, LONGEST_READ / 2)}\n${asked.slice(-LONGEST_READ / 2)}` : asked;
  const bare = text
    .replaceAll(/\b(?:what|how) (?:do|does|did) (?:you|i|we) (?:know|call)\b/gi, " ")
    .replace(/\bfor a living\b/i, "job");
  const ideas = new Set([...ideasOf(bare)].filter((idea) => !ASKED.has(idea)));
  const core = new Set([...ideas].filter((idea) => !ASIDE.has(idea)));
  const weak = new Set([...ideas].filter((idea) => ASIDE.has(idea)));
  // Where nothing else is asked about, the aside is the matter: "where do I live?"
  const isAside = core.size === 0;
  const named = new Set([...weak].filter((idea) => isNamedIdea(idea)));
  const about = isAside ? (named.size > 0 ? named : weak) : core;
  return {
    core: about,
    weak: isAside ? new Set() : weak,
    wanted: wantedBy(text),
    isList: LIST.test(text),
    isEverything: EVERYTHING.test(text),
    own: ownIdeas(text),
    // Of someone else's home or work the facts are no family's.
    family: FAMILIES.find(
      ({ idea, match }) =>
        core.size < 2 &&
        wantedBy(text) !== "time" &&
        ideas.has(idea) &&
        match.test(text) &&
        !/(?<=\S\s)\p{Lu}\p{Ll}+/u.test(text.replaceAll(GERMAN_NOUN, "")),
    )?.family,
    isWho: /^\s*(?:who(?:'s| is|’s)|wer ist|quién es|qui est|quem é|chi è|wie is) \p{Lu}\p{L}+\s*\??$/u.test(
      lowerFirst(text),
    ),
    isYesNo: INVERTED.test(text.trim()),
    isSelf: /(?<![\p{L}])(?:i|we|ich|wir|yo|je|j'|eu|io|ik)(?![\p{L}])/iu.test(text),
    isStill: /(?<![\p{L}])(?:still|noch|todavía|aún|encore|ainda|ancora|nog)(?![\p{L}])|还|まだ/iu.test(text),
    isName:
      /(?:called|name|heißt|heißen|llama|llaman|appelle|chama|chamam|chiama|chiamano|heet|^\s*who)(?![\p{L}])|叫什么|名前/iu.test(
        text,
      ),
  };
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

// Nouns have capitals in German; only what follows a name's place counts as one there.
const GERMAN_NOUN = /(?<=(?:mein\p{L}*|der|die|das|von|welche\p{L}*|I|ich|bin)\s)\p{Lu}\p{L}+|\bI\b/gu;
const SELF =
  /(?<![\p{L}])(?:i|we|my|ich|wir|mein\p{L}*|vivo|vivimos|trabajo|yo|mi|j'|je|mon|ma|eu|moro|trabalho|meu|minha|io|abito|lavoro|mio|mia|ik|mijn)(?![\p{L}])|我|私/iu;
const FAMILIES: readonly { idea: string; family: Relation; match: RegExp }[] = [
  { idea: "home", family: "home", match: SELF },
  { idea: "job", family: "work", match: SELF },
  { idea: "age", family: "age", match: SELF },
];

const WANTED: readonly [RegExp, Exclude<Wanted, undefined>][] = [
  [
    /\bdo(?:es)? .{1,60} for (?:a living|work)|\bjob\b|profession|occupation|beruf|trabajas|profesión|métier|profissão|mestiere|beroep|职业|職業/iu,
    "occupation",
  ],
  [
    /(?:which|what|on which|an welchem|em que|qué|quel|che|welke) (?:days?|evenings?|weekday|tag|tagen|dias?|días?|jours?|giorn[oi]|dag)(?![\p{L}])/iu,
    "day",
  ],
  [
    /^(?:.{0,12}\b)?(?:when|since when|what time|wann|seit wann|cuándo|desde cuándo|quand|depuis quand|quando|desde quando|wanneer|sinds wanneer)(?![\p{L}])|什么时候|几点|いつ/iu,
    "time",
  ],
  [/^(?:.{0,8}\b)?(?:where|wo|wohin|woher|dónde|où|onde|dove|waar)(?![\p{L}])|哪里|哪儿|どこ/iu, "place"],
  [
    /^(?:.{0,8}\b)?(?:how (?:much|many|wide|tall|big|old|long|high)|wie (?:hoch|viel|viele|groß|alt)|cuánto|cuántos|combien|quanto|quantos|quanti|hoeveel)(?![\p{L}])|(?:number|nummer|número|numéro|numero|price|budget|rate limit|sla)(?![\p{L}])|多少|几|いくつ|いくら/iu,
    "number",
  ],
  [
    /^(?:.{0,8}\b)?(?:who|whose|wer|quién|qui|quem|chi|wie(?= is|n))(?![\p{L}])|(?:called|name|heißt|heißen|llama|appelle|chama|chiama|heet)(?![\p{L}])|谁|叫什么|名前|誰/iu,
    "person",
  ],
];

function wantedBy(text: string): Wanted {
  return WANTED.find(([pattern]) => pattern.test(text))?.[1];
}
