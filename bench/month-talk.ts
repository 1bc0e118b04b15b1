/** A seeded source of chance: what is said is the same each time. */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A fact that someone states in the course of the month. */
export interface Planted {
  name: string;
  /** The words that must be found, as they hold now. */
  words: string;
  isRetracted: boolean;
  /** Only the one who said it corrects it: what another session says meanwhile is digested in its own time. */
  session: number;
}

const GOODS = ["amber", "copper", "linen", "salt", "cork", "indigo", "pepper", "slate", "walnut", "tin"];
const CHATTER = [
  "The ferry was late again and the coffee at the terminal had gone cold by the time it came in.",
  "Could you look at the draft and tell me whether the second paragraph still makes sense to you?",
  "It rained through the night, so the courtyard is under water and nobody has found the drain yet.",
  "We went through the list once more and most of it can wait until the auditors have gone home.",
  "I was thinking about the colour of the door; the green one looks better in the evening light.",
];

/** The talk of one month: what is said in turn, with facts planted, corrected and taken back on the way. */
export function createTalk(chance: () => number, factShare: number) {
  const planted: Planted[] = [];
  let number = 0;
  const pick = <Item>(items: readonly Item[], fallback: Item): Item =>
    items[Math.floor(chance() * items.length)] ?? fallback;
  const value = () => `${pick(GOODS, "tin")} ${1000 + Math.floor(chance() * 9000)}`;
  const state = (session: number): string => {
    const name = `F${String(planted.length + 1).padStart(3, "0")}`;
    const words = `crate ${name} holds ${value()}`;
    planted.push({ name, words, isRetracted: false, session });
    return `Please note: ${words}.`;
  };
  const correct = (fact: Planted): string => {
    fact.words = `crate ${fact.name} holds ${value()}`;
    return `A correction: ${fact.words}.`;
  };
  const retract = (fact: Planted): string => {
    fact.isRetracted = true;
    return `Forget about crate ${fact.name}, it was sold.`;
  };
  return {
    planted,
    said: () => number,
    /** The next two messages; each carries a number of its own. */
    nextTurn(session: number): [string, string] {
      const standing = planted.filter((fact) => !fact.isRetracted && fact.session === session);
      const roll = chance();
      const old = standing.length > 2 ? pick(standing, undefined) : undefined;
      const news =
        roll < factShare
          ? state(session)
          : old && roll < factShare * 1.15
            ? correct(old)
            : old && roll < factShare * 1.3
              ? retract(old)
              : "";
      const user = `m${number++}. ${news} ${pick(CHATTER, "")}`.replaceAll("  ", " ");
      return [user, `m${number++}. I see. ${pick(CHATTER, "")}`];
    },
  };
}
