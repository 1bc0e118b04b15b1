const ABBREVIATION =
  /(?:^|[\s("'])(?:dr|dra|mr|mrs|ms|st|prof|sr|sra|srta|no|nr|ext|vs|e\.g|i\.e|z\.b|bzw|ca|approx|vol|jr|mme|mlle|m|av|rua|dhr|mevr|sig|dott|tel|vit|aug|sept?|oct|nov|dec|jan|feb)\.$/i;
// The longest, and what stands before it.
const LONGEST_ABBREVIATION = 10;
// Words that no ordinal stands before: "we open at 6. What do others do?"
const BEGINNING =
  /^(?:I|We|You|He|She|It|They|My|Our|What|Who|Where|When|Why|How|Which|Can|Could|Would|Is|Are|Do|Does|Did|Please|Find|Look|Check|Search|Tell|Show|And|But|So|Any|Ich|Wir|Was|Wer|Wie|Wo|Wann|Warum|Kannst|Gibt|Bitte|Qué|Cómo|Dónde|Puedes|Je|Nous|Peux|Quel|Quelle|Como|Podes|Pode|Posso|Puoi|Kun|Wat|Hoe)(?![\p{L}\p{N}])/u;

/** The sentences of a text, line by line; abbreviations and ordinals do not end one. */
export function splitIntoSentences(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => splitLine(line));
}

function splitLine(line: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const stop of line.matchAll(
    /(?<![.!?…؟\u037E⁇⁈⁉‽۔])[.!?…؟\u037E⁇⁈⁉‽۔]+["'”»)\]]*(?=\s|$)|[。！？]+[」』”）]*|(?<![\p{Extended_Pictographic}\u{FE0F}])[\p{Extended_Pictographic}\u{FE0F}]+(?=\s)/gu,
  )) {
    const end = stop.index + stop[0].length;
    const before = line.slice(start, end);
    const after = line.slice(end).trimStart();
    if (ABBREVIATION.test(before.slice(-LONGEST_ABBREVIATION))) continue;
    // "am 2. Juli", "the 7. of May", "1. Zeile"
    const isOrdinal =
      /(?:^|\s)(?:[12]?\d|3[01])\.$/.test(before.slice(-LONGEST_ABBREVIATION)) && /^[\p{Ll}\p{Lu}]/u.test(after);
    if (isOrdinal && !BEGINNING.test(after)) continue;
    if (/^\.{2,}|…/.test(stop[0]) && /^\p{Ll}/u.test(after)) continue;
    sentences.push(before);
    start = end;
  }
  sentences.push(line.slice(start));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
