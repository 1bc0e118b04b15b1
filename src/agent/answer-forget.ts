import { detectLanguage } from "../language/language.ts";
import { packOf } from "../language/packs.ts";
import type { Pack } from "../language/packs.ts";
import { parseQuotation } from "../belief/quotation.ts";
import { contentWords, shareOf } from "../language/content-words.ts";
import { isSamePath, parseFacts } from "../change/read-outline.ts";
import type { Fact } from "../change/read-outline.ts";
import type { Memory } from "../memory.ts";
import { scopeOf } from "../session/scope-of.ts";
import type { Session } from "../session/session.ts";

const ASK = "This would be forgotten:";
const HOW = "Say yes to forget it, everywhere and for good.";
const WHICH = "Which of these is meant?";
const NAME_IT = "Say what it stands under.";
const SHORTEST_MEANT = 6;

/** Answers an order to forget: shows first what would go, and does it once that is confirmed. Undefined for anything else. */
export async function answerForget(
  memory: Memory,
  session: Session,
  text: string,
  before: string,
): Promise<string | undefined> {
  const pack = packOf(detectLanguage(text));
  const read = async () => parseFacts(await memory.readMemory(session.key));
  if (before.startsWith(ASK) && isYes(pack, text)) {
    const known = await read();
    return forgetFacts(memory, session.key, listed(known, before), known);
  }
  if (pack.begins("forgets", pack.plain(text)) === null) {
    const known = before.startsWith(WHICH) ? await read() : [];
    const meant = listed(known, before).filter(({ path }) => isNamed(path, text));
    return meant.length > 0 ? ask(meant, known) : undefined;
  }
  // What was said in this chat is on record once it is digested; by rules that takes no time.
  if (!memory.chatModel) await memory.consolidate(session.key, { all: true });
  const words = text.trim();
  const about = contentWords(words.replace(/^\P{L}*\p{L}+/u, ""));
  const known = await read();
  const facts = known.filter((fact) => {
    const said = contentWords(parseQuotation(fact.text)?.words ?? fact.text.replace(/^User(?:'s)?:? /, ""));
    return said.size > 0 && about.size > 0 && (shareOf(about, said) >= 0.6 || shareOf(said, about) >= 0.99);
  });
  if (facts.length === 0) return "Nothing on record is about that.";
  return ask(underNamed(facts, words), known);
}

function isYes(pack: Pack, text: string): boolean {
  return (
    pack.begins("confirms", pack.plain(text)) !== null ||
    /^(?:do it|go ahead|please do|mach|hazlo|fais-le|faz|fallo|doe maar)\b/i.test(text.trim())
  );
}

/** Those under the headings that an order names, and those that name the same themselves; all if it names none. */
function underNamed(facts: readonly Fact[], words: string): Fact[] {
  const named = facts.flatMap(({ path }) => path.filter((title) => isNamed([title], words)));
  const isAbout = ({ path, text }: Fact) => isNamed(path, words) || named.some((title) => isNamed([title], text));
  return facts.filter((fact) => named.length === 0 || isAbout(fact));
}

/** Whether words name a heading: all that it says, or a word that tells. */
function isNamed(path: readonly string[], words: string): boolean {
  const said = rawWords(words);
  const telling = contentWords(words);
  return path.some((title) => {
    const raw = [...rawWords(title)];
    return (raw.length > 0 && raw.every((word) => said.has(word))) || shareOf(contentWords(title), telling) > 0;
  });
}

function rawWords(text: string): Set<string> {
  return new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  );
}

/** Shows what would go, or asks which one where the same words stand under several headings. */
function ask(facts: readonly Fact[], known: readonly Fact[]): string {
  const equals = facts.filter((fact) => facts.some((other) => isElsewhere(fact, other)));
  const lines = (shown: readonly Fact[]) => [
    ...new Set(shown.map((fact) => `- ${known.some((other) => isElsewhere(fact, other)) ? place(fact) : fact.text}`)),
  ];
  if (equals.length > 0) return [WHICH, ...lines(equals), NAME_IT].join("\n");
  return [ASK, ...lines(facts), HOW].join("\n");
}

function isElsewhere(fact: Fact, other: Fact): boolean {
  return fact.text === other.text && !isSamePath(fact.path, other.path);
}

function place({ text, path }: Fact): string {
  return path.length === 0 ? `${text} (under no heading)` : `${text} (under ${path.join(" › ")})`;
}

/** The facts that a question listed, as far as they are there and its words still tell them from others. */
function listed(known: readonly Fact[], question: string): Fact[] {
  const lines = new Set(question.split("\n").flatMap((line) => /^- (.+)$/.exec(line)?.[1] ?? []));
  return known.filter(
    (fact) => lines.has(place(fact)) || (lines.has(fact.text) && !known.some((other) => isElsewhere(fact, other))),
  );
}

async function forgetFacts(
  memory: Memory,
  key: string,
  facts: readonly Fact[],
  known: readonly Fact[],
): Promise<string> {
  if (facts.length === 0) return "Nothing was forgotten: memory has changed meanwhile. Say again what to forget.";
  const others = known.filter((fact) => !facts.includes(fact));
  const scope = scopeOf(key, memory.config.memory.scope);
  const records = await memory.state.listFacts({ scope });
  for (const { text, path } of facts) {
    // Words that are said elsewhere of someone else must not go everywhere.
    const isSaidElsewhere = (words: string) =>
      others.some(
        (other) => !isSamePath(other.path, path) && shareOf(contentWords(words), contentWords(other.text)) > 0.99,
      );
    if (isSaidElsewhere(text)) await memory.trust.forget({ fact: { scope, text, under: path } });
    const own = records.filter((row) => row.text === text && isSamePath(row.path ?? path, path));
    const quotes = own.flatMap(({ quote }) => quote ?? []);
    for (const each of new Set([text, ...quotes]))
      if (each.length >= SHORTEST_MEANT && !isSaidElsewhere(each)) await memory.trust.forget({ text: each });
  }
  return `Forgotten: ${facts.length} ${facts.length === 1 ? "fact" : "facts"}, and what was said about it.`;
}
