import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SYLLABLES = "ba co di fe gu ha jo ki le mu na po qui ra so te vu wa xe zo bran stil mor tak len".split(" ");
const SMALL = "the of and to in a is that for it was on with as at by from this be have not are".split(" ");
const VOCABULARY_SIZE = 20_000;
const SMALL_SHARE = 0.45;

/** Writes text whose words are as unevenly frequent as those of a language; the same for the same seed. */
export interface TextMaker {
  sentence(): string;
  /** A question of telling words. */
  question(): string;
  /** A note of about so many characters: a title, list items and paragraphs. */
  note(title: string, characters: number): string;
}

/** Makes texts without any randomness of its own. */
export function createTextMaker(seed: number): TextMaker {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const vocabulary = Array.from({ length: VOCABULARY_SIZE }, (_, index) => spell(index));
  // Zipf: the word of rank r is about 1/r as frequent as the first.
  const telling = () => vocabulary[Math.floor(VOCABULARY_SIZE ** random()) - 1] ?? "";
  const word = () => (random() < SMALL_SHARE ? (SMALL[Math.floor(random() * SMALL.length)] ?? "") : telling());
  const words = (count: number, next: () => string) => Array.from({ length: count }, next).join(" ");
  const sentence = () => `${words(8 + Math.floor(random() * 10), word)}.`;
  return {
    sentence,
    question: () => words(4 + Math.floor(random() * 4), telling),
    note(title, characters) {
      let text = `# ${title}\n`;
      while (text.length < characters) {
        text += random() < 0.6 ? `\n- ${sentence()} ${sentence()}` : `\n\n${sentence()} ${sentence()} ${sentence()}\n`;
      }
      return `${text}\n`;
    },
  };
}

function spell(index: number): string {
  let rest = index + SYLLABLES.length;
  let text = "";
  while (rest > 0) {
    text += SYLLABLES[rest % SYLLABLES.length] ?? "";
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return text;
}

/** Fills memory/ with so many notes that are lists of short items. */
export async function writeLists(workspace: string, count: number, maker: TextMaker): Promise<void> {
  const folder = join(workspace, "memory");
  await mkdir(folder, { recursive: true });
  for (let index = 0; index < count; index++) {
    const items = Array.from({ length: ITEMS_IN_LIST }, () => `- ${maker.sentence().split(" ").slice(0, 9).join(" ")}`);
    await writeFile(join(folder, `list-${index}.md`), `# List ${index}\n\n${items.join("\n")}\n`);
  }
}

const ITEMS_IN_LIST = 43;

/** Fills memory/ with so many dated notes of 3 kB and returns their size. */
export async function writeNotes(workspace: string, count: number, maker: TextMaker): Promise<number> {
  const folder = join(workspace, "memory");
  await mkdir(folder, { recursive: true });
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const day = new Date(Date.UTC(1995, 0, 1) + index * 86_400_000).toISOString().slice(0, 10);
    const text = maker.note(`Notes of ${day}`, 2_950);
    bytes += text.length;
    await writeFile(join(folder, `${day}.md`), text);
  }
  return bytes;
}
