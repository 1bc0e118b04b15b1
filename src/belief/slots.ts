import { listTables } from "./tables.ts";
import type { Family } from "./table.ts";

/** Which family a fact belongs to, whoever wrote it. */
export function familyOf(fact: string): Family | undefined {
  const bare = fact.replace(/^User: /, "");
  for (const table of listTables()) {
    const text = table.code === "en" ? fact : bare;
    const found = table.families.find(({ match }) => match.test(text));
    if (found) return found.family;
  }
  return undefined;
}

/** Families of which a person has exactly one. */
const SINGLE = new Set<Family>(["home", "name", "age", "birthday", "language"]);

const OWNER =
  /^(?:the |our |user's |user: )?(?:(?:my|mein|meine|mi|mon|ma|meu|minha|mio|mia|mijn) )?(?:new |current |neue[rs]? |jetzige[rs]? )?/;
const VALUED =
  /^(?<subject>(?:User's |The |Our |User: )?(?:[\p{L}\p{N}'/-]+ ){1,4}?)(?:(?:is|are|was|has been|has|have been|ist|sind|es|est|é|è|agora é) (?:now |jetzt |ahora |maintenant |agora |ora |nu )?|(?=moved|slips))(?:called |named |moved to |pushed to |changed to |on |at |the |still |due |slips to )*(?:\p{Lu}|\d|an? |am |el |le )/u;

/** What a fact says something of, where a newer statement takes the older one's place: the home, a person's name, a thing's value. */
export function slotOf(fact: string): string | undefined {
  const family = familyOf(fact);
  if (family !== undefined && SINGLE.has(family)) return family;
  const subject = VALUED.exec(fact)?.groups?.["subject"];
  return subject === undefined ? undefined : `is:${subject.toLowerCase().trim().replace(OWNER, "")}`;
}
