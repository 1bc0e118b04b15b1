const STOP_WORDS = new Set(
  `s t m ve re ll d n j l c qu don doesn didn isn aren wasn weren won couldn shouldn wouldn haven hasn cant dont im ive
  a an the and or but if of in on at to from by for with about as is are was were be been being am i me my we our us you your
  he him his she her it its they them their this that these those has have had do does did will would can could should cannot
  not no so than then there here what which who whom when where why how also just very user user's users now still only called named
  got get goes go went since until any more anymore longer never all some one says said too really
  der die das den dem des ein eine einen einem einer und oder aber ist sind war bin hat habe hab haben ich mich mir mein meine meinen meinem meiner wir uns unser unsere
  nicht kein keine keinen mehr mit bei zu zum zur im in am an auf aus von vom für als auch noch jetzt wie was wo wer wann heißt heißen heisst seit es er sie
  el la los las un una unos y o en de del al mi mis me no con por para que se es son soy está fue era lo le su sus ya muy más qué cómo cuándo dónde quién cuál llama llamo desde
  le les des du et ou je j ai suis est sont mon ma mes ne pas n avec pour qui sur dans nous on notre nos c il elle ce cette s appelle d l m t qu quel quelle où quand comment y a en depuis plus à au aux
  o os as um uma e do da dos das no na nos nas meu minha meus minhas não eu é são sou está foi era com por pra para que se qual quem onde quando como mais mas também chama chamo
  il lo i gli uno di della dei alla mio mia miei mie mi non con per che si ho ha sono è chi quale dove quando come più ma anche chiama chiamo nel nella
  de het een en mijn m'n niet geen wij we ons onze ik ben heb hebben heeft met bij te voor op uit van om aan die dat er als ook nog nu hoe wat waar wie wanneer heet`.split(
    /\s+/,
  ),
);
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** The words of a text that carry its meaning, folded and lightly stemmed; scripts without spaces give pairs of characters. */
export function contentWords(text: string): Set<string> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{M}\p{N}]+(?:[.-][\p{L}\p{M}\p{N}]+)*/gu) ?? [];
  return new Set(
    words.flatMap((word) => (CJK.test(word) ? pairs(word) : STOP_WORDS.has(word) ? [] : [stemWord(word)])),
  );
}

/** A word without its commonest endings and without its accents, so that forms of one word meet. */
export function stemWord(word: string): string {
  const folded = word.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("z", "s");
  if (folded.length < 4 || /\d/.test(folded)) return folded;
  return folded
    .replace(/(?<=.{3}[^s])s$/, "")
    .replace(/(?:ie|y)$/, "i")
    .replace(/(?<=.{3})(?:ing|ed|en|e|a|o)$/, "");
}

/** How much of `part` is in `whole`, 0 to 1. */
export function shareOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (part.size === 0) return 0;
  return [...part].filter((word) => whole.has(word)).length / part.size;
}

function pairs(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}
