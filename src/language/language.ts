/** The languages whose rules Tidemark knows; `other` is every language that it does not. */
export type LanguageCode = "en" | "de" | "es" | "fr" | "pt" | "it" | "nl" | "zh" | "ja" | "other";

// The words that a language cannot do without; a word that several share counts for each of them.
const FREQUENT: Readonly<Record<Exclude<LanguageCode, "zh" | "ja" | "other">, string>> = {
  en: `i i'm im i've ive i'd i'll my the a an and is are was we we're we've our you your of to in on at for with not don't dont
    can't cant has have had been since but or it it's that this she he they her his who what where when which do does did
    am me please no never always by from about just as so all any called live work here there day very too than then some
    these those because if one two would could should will can more also only still now week morning like love hate our us drink eat man bin play use take`,
  de: `ich bin ist und der die das den dem ein eine einen einem meine mein meiner meinen mir mich nicht kein keine keinen wir
    uns unser unsere habe hab haben hat hatte seit mit bei zu zum zur für auf aus von vom im am als auch noch jetzt sie er es
    wie was wo wer wann dass heißt wohne heute gestern morgen bitte ja nein du dir dich dein oder aber sind war werde wird mal wohne
    arbeite esse trinke spiele mag komme nehme gegen unter über nach ohne immer nie letztes nächste jahr heiße wir's ab vor`,
  es: `yo soy estoy es el la los las un una unos y en de del al mi mis me no con por para que se tengo tiene vivo trabajo
    nosotros nuestro nuestra pero como muy más desde hace ayer hoy mañana dónde cuándo cómo quién cuál qué sí eres te tu
    gusta gustan llamo llama somos está están fue era lo le les también ya este esta como bebo
    odio prefiero tomo hablo hago voy nunca siempre sin sobre perdona perdón he mudado hijos años lunes viernes talla encanta
    encantan bailar dos tres gata gato perro marido`,
  fr: `je j'ai j'habite j'aime suis est le la les un une des du de d' et en à au aux mon ma mes ne pas n'ai avec pour que qui
    sur dans nous on notre nos c'est il elle mais ou où depuis hier demain aujourd'hui comment quand quel quelle plus très
    tu ton ta vous votre s'appelle m'appelle ça cette ce y a ont sont était chez par j l d n s c qu m t
    habite travaille mange bois aime adore préfère toujours jamais sans femme mari fille fils ans`,
  pt: `eu sou estou é o a os as um uma e em no na nos nas de do da dos das meu minha meus minhas me não com por para que se
    tenho tem moro trabalho nós nosso nossa mas como muito mais desde há ontem hoje amanhã onde quando quem qual sim você
    gosto chamo chama somos está foi era também já este esta ele ela pra num numa ao à isso faço tomo
    bebo como adoro prefiro falo vou nunca sempre sem sobre anos filhos remédios mudei tô tá né filha`,
  it: `io sono è il lo la gli le un una uno e in di del della dei a al alla mio mia miei mie mi non con per che si ho ha
    abbiamo noi nostro nostra ma come molto più da dal ieri oggi domani dove quando chi quale sì sei ti tuo vivo abito lavoro
    chiamo chiama anche già questo questa è' nel nella ci lui lei mangio bevo faccio
    prendo odio preferisco vado mai sempre senza anni figli moglie marito scusa abbiamo insegno della`,
  nl: `ik ben is en de het een mijn m'n niet geen wij we ons onze heb hebben heeft had sinds met bij te voor op uit van in als
    ook nog nu zij hij ze hoe wat waar wie wanneer dat heet woon werk vandaag gisteren morgen ja nee je jij jouw of maar zijn
    was word wordt naar om aan die deze toch wel er eet drink
    speel hou altijd nooit zonder jaar vrouw man kinderen hebben`,
};
const VOTES = new Map<string, LanguageCode[]>();
for (const code of ["en", "de", "es", "fr", "pt", "it", "nl"] as const) {
  for (const word of FREQUENT[code].split(/\s+/)) VOTES.set(word, [...(VOTES.get(word) ?? []), code]);
}
// Letters that only some of the languages have.
const LETTERS: readonly [RegExp, LanguageCode][] = [
  [/ß|[äöü]/iu, "de"],
  [/[ñ¿¡]/iu, "es"],
  [/[ãõ]/iu, "pt"],
  [/[œùêî]|ç[ao]/iu, "fr"],
  [/[ìò]/iu, "it"],
  [/ij/iu, "nl"],
];

/** Which language a text is in, as far as its script and its small words tell; `otherwise` where they tell nothing. */
export function detectLanguage(text: string, otherwise: LanguageCode = "en"): LanguageCode {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "ja";
  if (/\p{Script=Han}/u.test(text)) return "zh";
  // A language of another script, or with letters that none of ours has.
  if (
    /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Thai}\p{Script=Devanagari}]/u.test(
      text,
    )
  )
    return "other";
  if (/[ıİğşŞąęłżźśćńőűčřěåø]/u.test(lowerWords(text).join(" "))) return "other";
  const counts = new Map<LanguageCode, number>();
  for (const word of text
    .toLowerCase()
    .replaceAll("’", "'")
    .match(/[\p{L}']+/gu) ?? []) {
    const codes = votesOf(word);
    // A word of one language says more than one that five share.
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1 / codes.length);
  }
  for (const [letters, code] of LETTERS) if (letters.test(text)) counts.set(code, (counts.get(code) ?? 0) + 0.7);
  let best: LanguageCode = otherwise;
  // What was spoken just before is likely spoken still.
  let most = (counts.get(otherwise) ?? 0) + (otherwise === "en" ? 0 : 0.5);
  for (const [code, count] of counts) if (count > most + 0.01) [best, most] = [code, count];
  return best;
}

function votesOf(word: string): readonly LanguageCode[] {
  return VOTES.get(word) ?? (word.includes("'") ? (VOTES.get(word.split("'")[0] ?? "") ?? []) : []);
}

/** Names may have any letters: only words that a sentence has in lower case tell its language. */
function lowerWords(text: string): string[] {
  return text.match(/(?<!\p{L})\p{Ll}[\p{L}]*/gu) ?? [];
}
