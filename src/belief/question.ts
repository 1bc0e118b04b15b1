import { detectLanguage } from "../language/language.ts";
import { ideasOf } from "./concepts.ts";
import { tableOf } from "./tables.ts";

/** What is asked for, by the question word. */
export type Wanted = "person" | "time" | "place" | "number" | "day" | undefined;

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
  if (/[?？]["'”»」)]*$/u.test(words) || /(?:吗|呢|什么|哪里|哪儿|谁|来着|か|っけ)[。？]?$/u.test(words)) return true;
  if (tableOf(detectLanguage(words)).remembers.test(words)) return false;
  return (ASKING.test(words) && !/[.!]$/.test(words)) || INVERTED.test(words);
}

const EVERYTHING =
  /(?:what|everything|all)\b.*\b(?:know|remember|have)\b.*\b(?:about|on|of) me\b|what do you know\??$|who am i\b|was weißt du (?:alles )?über mich|qué sabes (?:de|sobre) mí|que sais-tu (?:de|sur) moi|tu sais quoi sur moi|o que (?:você sabe|sabes) (?:de|sobre) mim|(?:che )?cosa sai di me|wat weet je (?:van|over) mij|你知道我(?:什么|多少)|你对我了解|私について(?:何|なに)/iu;
const LIST =
  /\b(?:know about|list|all (?:my|our|the)|everything|what .* have i (?:had|been)|who (?:is|are|plays|comes|sits) (?:on|in|with|to)|which .*s\b|medicines|pets|children|kids|things|people|machines|weißt du über|welche|alle|sabes (?:de|sobre)|sais-tu|você sabe|o que (?:eu )?(?:não )?posso|cosa sai|weet je (?:van|over))/iu;

// Said in most questions, about nothing in particular.
const ASIDE = new Set(
  `know tell remember please still again currently name home like thing sort kind type day days time year called old really weißt weiß sabes sabe sais sai weet noch eigentlich todavía aún encore ainda ancora nog
  tag wochentag día jour dia giorno dag from go goes take use have had been new current live do mean much many often long word job start open play eat drink number phone size age`.split(/\s+/),
);

/** Reads a question: what it is about, and what kind of thing would answer it. */
export function readQuestion(text: string): Question {
  const bare = text.replaceAll(/\b(?:what|how) (?:do|does|did) (?:you|i|we) (?:know|call)\b/gi, " ").replace(/\bfor a living\b/i, "job");
  const ideas = ideasOf(bare);
  const core = new Set([...ideas].filter((idea) => !ASIDE.has(idea)));
  const weak = new Set([...ideas].filter((idea) => ASIDE.has(idea)));
  // Where nothing else is asked about, the aside is the matter: "where do I live?"
  const isAside = core.size === 0;
  return {
    core: isAside ? weak : core,
    weak: isAside ? new Set() : weak,
    wanted: wantedBy(text),
    isList: LIST.test(text),
    isEverything: EVERYTHING.test(text),
  };
}

const WANTED: readonly [RegExp, Exclude<Wanted, undefined>][] = [
  [/(?:which|what|on which|an welchem|em que|qué|quel|che|welke) (?:days?|evenings?|weekday|tag|tagen|dias?|días?|jours?|giorn[oi]|dag)(?![\p{L}])/iu, "day"],
  [/^(?:.{0,12}\b)?(?:when|since when|what time|wann|seit wann|cuándo|desde cuándo|quand|depuis quand|quando|desde quando|wanneer|sinds wanneer)(?![\p{L}])|什么时候|几点|いつ/iu, "time"],
  [/^(?:.{0,8}\b)?(?:where|wo|wohin|woher|dónde|où|onde|dove|waar)(?![\p{L}])|哪里|哪儿|どこ/iu, "place"],
  [/^(?:.{0,8}\b)?(?:how (?:much|many|wide|tall|big|old|long|high)|wie (?:hoch|viel|viele|groß|alt)|cuánto|cuántos|combien|quanto|quantos|quanti|hoeveel)(?![\p{L}])|(?:number|nummer|número|numéro|numero|price|budget|rate limit|sla)(?![\p{L}])|多少|几|いくつ|いくら/iu, "number"],
  [/^(?:.{0,8}\b)?(?:who|whose|wer|quién|qui|quem|chi|wie(?= is|n))(?![\p{L}])|(?:called|name|heißt|heißen|llama|appelle|chama|chiama|heet)(?![\p{L}])|谁|叫什么|名前|誰/iu, "person"],
];

function wantedBy(text: string): Wanted {
  return WANTED.find(([pattern]) => pattern.test(text))?.[1];
}
