import { readFileSync } from "node:fs";
import { shippedPath } from "../shipped.ts";
import { contentWords, stemWord } from "../language/content-words.ts";
import { detectLanguage } from "../language/language.ts";

const IDEAS = readFileSync(shippedPath("data/language/ideas.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** The ideas that a text touches, by name; words that belong to none stand for themselves. */
export function ideasOf(text: string): Set<string> {
  const ideas = new Set<string>();
  const names = properNames(text);
  for (const word of contentWords(text)) {
    for (const idea of (names.has(word) ? undefined : BY_WORD.get(word)) ?? [word]) ideas.add(idea);
  }
  const lower = text.toLowerCase();
  for (const word of lower.match(/[\p{L}\p{M}-]+/gu) ?? [])
    for (const idea of BY_STOPPED.get(word) ?? []) ideas.add(idea);
  for (const [characters, idea] of BY_CHARACTERS) if (lower.includes(characters)) ideas.add(idea);
  for (const part of COMPOUNDS) {
    if (!part.match.test(text)) continue;
    ideas.add(part.idea);
  }
  return ideas;
}

/** Names are no ideas: a Honda is no hond. German writes every noun like a name. */
function properNames(text: string): Set<string> {
  if (detectLanguage(text) === "de") return new Set();
  return new Set((text.match(/(?<=[\p{Ll},] )\p{Lu}\p{L}+/gu) ?? []).map((name) => stemWord(name.toLowerCase())));
}

/** The same for something on record, with what the ideas are kinds of: a daughter is family. */
export function ideasOnRecord(text: string): Set<string> {
  const ideas = ideasOf(text);
  if (PETS.test(text)) ideas.add("pet");
  for (const [kind, members] of KINDS) if (members.some((member) => ideas.has(member))) ideas.add(kind);
  return ideas;
}

const POSSESSED =
  /(?<![\p{L}])(?:my|our|user's|their|meine?[nrms]?|unsere?[nrms]?|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|meus?|minhas?|noss[oa]s?|mi[oae]i?|nostr[oaie]|mijn|onze|我的?|私の)\s*((?:[\p{L}-]+\s+)?[\p{L}-]+)/giu;

/** The ideas that a text calls the speaker's own: "my wife", not "Frau Schmidt". */
export function ownIdeas(text: string): Set<string> {
  return new Set([...text.matchAll(POSSESSED)].flatMap(([, noun = ""]) => [...ideasOf(noun)]));
}

/** Whether an idea is one of the table's, and not just a word. */
export function isNamedIdea(idea: string): boolean {
  return NAMES.has(idea);
}

/** All words of the ideas that a text touches, for a search that knows only words. */
export function expandIdeas(text: string): string[] {
  const ideas = ideasOf(text);
  return IDEAS.flatMap((line) => {
    const [idea = "", ...words] = line.split(" ");
    return idea !== "" && ideas.has(idea) ? words : [];
  });
}

const NAMES = new Set(IDEAS.map((line) => line.split(" ")[0] ?? ""));
const BY_WORD = new Map<string, string[]>();
// Words that mean something here though they are too frequent to count elsewhere.
const BY_STOPPED = new Map<string, string[]>();
const BY_CHARACTERS: [string, string][] = [];
for (const line of IDEAS) {
  const [idea = "", ...words] = line.split(" ");
  for (const word of new Set(words)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)) BY_CHARACTERS.push([word, idea]);
    else if (contentWords(word).size === 0) add(BY_STOPPED, word, idea);
    else add(BY_WORD, stemWord(word), idea);
  }
}

function add(map: Map<string, string[]>, word: string, idea: string): void {
  map.set(word, [...new Set([...(map.get(word) ?? []), idea])]);
}

const PETS =
  /\b(?:rats?|hamster|rabbit|tortoise|guinea pig|goldfish|horse|pony|kaninchen|pferd|hase|conejo|lapin|coelho|coniglio|konijn|budgie|budgerigar|whippet)\b/iu;
const KINDS: readonly [string, readonly string[]][] = [
  [
    "family",
    [
      "wife",
      "husband",
      "partner",
      "daughter",
      "son",
      "child",
      "mother",
      "father",
      "parents",
      "brother",
      "sister",
      "grandmother",
      "grandfather",
      "grandchild",
      "niece",
      "nephew",
      "aunt",
      "uncle",
      "cousin",
      "inlaw",
      "baby",
      "girlfriend",
      "boyfriend",
    ],
  ],
  ["child", ["daughter", "son", "baby"]],
  ["parents", ["mother", "father"]],
  ["pet", ["dog", "cat", "bird"]],
  ["drink", ["tea", "coffee", "wine", "beer"]],
  ["eat", ["meat", "fish"]],
];

// What a way of putting it says without naming it: "I'm a nurse" is a job, "I'm in Leeds" a home.
const COMPOUNDS: readonly { match: RegExp; idea: string }[] = [
  {
    match:
      /\b(?:[Ii]'m|[Ii] am|User is|User was|[Ii] was|[Ss]he's|[Hh]e's|[Ss]he is|[Hh]e is) (?:now )?(?:an?|the) (?!bit|little|lot|mess)\p{L}{4,}/u,
    idea: "job",
  },
  {
    match:
      /\b(?:[Ii]ch bin|[Ss]ie ist|[Ee]r ist) \p{Lu}\p{L}{3,}|\b(?:soy|[Jj]e suis|sou|sono|ik ben) (?!in |de |no |não |non |niet |le |la )\p{L}{5,}/u,
    idea: "job",
  },
  {
    match:
      /\b(?:[Ii]'m|[Ii] am|[Ww]e're|[Ww]e are|User is|who is|is|are|she's|he's) in (?:an? (?:flat|home|house|bungalow)|\p{Lu}\p{L}{3,})/u,
    idea: "home",
  },
  { match: /\b(?:whippet|labrador|terrier|spaniel|poodle|dackel|dachshund|retriever|collie)\b/iu, idea: "dog" },
  {
    match:
      /\b(?:[Ii]'m|[Ii] am|[Ii]ch bin|[Ss]oy|[Ss]ou|[Ss]ono|[Ii]k ben) (?:der |die |a |o |la |el )?\p{Lu}\p{L}{1,14}(?:[.,!]|$| but | aber )/u,
    idea: "name",
  },
  { match: /\b(?:call me|you can call)\b/iu, idea: "name" },
  {
    match: /\b\d+ ?(?:mg|mcg|µg)\b|\b\p{L}{1,40}(?:statin|pril|dipine|olol|triptan|sartan|cillin|formin|profen)\b/iu,
    idea: "medicine",
  },
  {
    match:
      /\bborn\b.{0,80}\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/iu,
    idea: "birthday",
  },
  { match: /\b(?:broke up|split up|getrennt|terminamos|rompimos|separated|divorced)\b/iu, idea: "partner" },
  { match: /\b(?:broke up|split up|separated)\b/iu, idea: "boyfriend" },
];
