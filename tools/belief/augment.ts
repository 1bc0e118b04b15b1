import type { Label, Labelled } from "./labelled.ts";
import { parseCode } from "./labelled.ts";
import { splitClauses } from "../../src/language/split-clauses.ts";
import { seeded } from "./model.ts";

/** A sentence in a frame: `{s}` stands where it goes; the frame's own words have one code, the sentence another or its own. */
interface Setting {
  text: string;
  own: string;
  sentence: string | undefined;
}

const SETTINGS: Readonly<Record<string, string>> = {
  en: `w|o|Please translate this into German:\\n\\n{s}
w|o|Correct the grammar: {s}
w|o|Can you proofread this for me?\\n\\n"{s}"
w|o|Make this sound more formal:\\n{s}
w|q|Is this sentence right: "{s}"
w|q|What tense is used here: "{s}"
w|a|This is from my neighbour's letter:\\n\\n{s}
w|p|Found this on a forum: "{s}"
w|o|Summarise this review.\\n\\n{s} {s}
w|q|Who is speaking in this passage?\\n\\n{s} {s}
f|o|You are a detective and I'm the suspect. {s} {s} Ask me the first question.
f|o|Write a short story that begins like this: {s}
f|o|Let's role-play. I'm the patient, you're the doctor. {s}
f|o|Give me a monologue for a character who says: {s}
h|h|If only it were true that {s}
j|j|Oh sure, and {s} Just kidding.
keep|q|Can you help me plan dinner? {s}
keep|q|{s} What would you suggest?
keep|p|Hi there! {s}
keep|p|thanks, that helped. {s}
keep|p|By the way, {s} {s}`,
  de: `w|o|Bitte übersetze das ins Englische:\\n\\n{s}
w|o|Korrigier mal bitte: {s}
w|q|Ist dieser Satz richtig: „{s}“
w|p|Das schrieb mir meine Nachbarin:\\n\\n{s}
f|o|Du bist Kommissar und ich bin der Verdächtige. {s}
f|o|Schreib eine Geschichte, die so anfängt: {s}
keep|q|Kannst du mir helfen? {s}
keep|q|{s} Was würdest du empfehlen?
keep|p|Hallo! {s}`,
  es: `w|o|Traduce esto al inglés:\\n\\n{s}
w|o|Corrige este texto: {s}
w|q|¿Está bien escrita esta frase: «{s}»?
w|p|Me lo escribió mi vecina:\\n\\n{s}
f|o|Tú eres el médico y yo el paciente. {s}
f|o|Escribe un cuento que empiece así: {s}
keep|q|¿Me puedes ayudar? {s}
keep|q|{s} ¿Qué me recomiendas?
keep|p|¡Hola! {s}`,
  fr: `w|o|Traduis ceci en anglais :\\n\\n{s}
w|o|Corrige cette phrase : {s}
w|q|Est-ce que cette phrase est correcte : « {s} »
w|p|Voici ce que ma voisine m'a écrit :\\n\\n{s}
f|o|Tu es le médecin et je suis le patient. {s}
f|o|Écris une histoire qui commence ainsi : {s}
keep|q|Tu peux m'aider ? {s}
keep|q|{s} Qu'est-ce que tu me conseilles ?
keep|p|Bonjour ! {s}`,
  pt: `w|o|Traduz isto para inglês:\\n\\n{s}
w|o|Corrige este texto: {s}
w|q|Esta frase está certa: "{s}"?
f|o|Tu és o médico e eu sou o paciente. {s}
f|o|Escreve um conto que comece assim: {s}
keep|q|Podes ajudar-me? {s}
keep|q|{s} O que me recomendas?
keep|p|Olá! {s}`,
  it: `w|o|Traduci questo in inglese:\\n\\n{s}
w|o|Correggi questa frase: {s}
w|q|È giusta questa frase: «{s}»?
f|o|Tu sei il medico e io il paziente. {s}
f|o|Scrivi un racconto che inizi così: {s}
keep|q|Mi puoi aiutare? {s}
keep|q|{s} Cosa mi consigli?
keep|p|Ciao! {s}`,
  nl: `w|o|Vertaal dit naar het Engels:\\n\\n{s}
w|o|Verbeter deze zin: {s}
w|q|Klopt deze zin: "{s}"?
f|o|Jij bent de dokter en ik de patiënt. {s}
f|o|Schrijf een verhaal dat zo begint: {s}
keep|q|Kun je me helpen? {s}
keep|q|{s} Wat raad je aan?
keep|p|Hoi! {s}`,
  zh: `w|o|请把下面这段话翻译成英文：\\n\\n{s}
w|o|帮我改一下语法：{s}
w|q|这句话对吗：“{s}”
f|o|你演医生，我演病人。{s}
f|o|写一个故事，开头是：{s}
keep|q|你能帮我吗？{s}
keep|q|{s}你有什么建议？
keep|p|你好！{s}`,
  ja: `w|o|次の文を英語に翻訳してください：\\n\\n{s}
w|o|この文を添削して：{s}
f|o|あなたは医者、私は患者の役です。{s}
keep|q|手伝ってもらえますか？{s}
keep|q|{s}おすすめはありますか？
keep|p|こんにちは！{s}`,
  ru: `w|o|Переведи на английский:\\n\\n{s}
w|o|Исправь ошибки: {s}
f|o|Ты врач, а я пациент. {s}
f|o|Напиши рассказ, который начинается так: {s}
keep|q|Можешь помочь? {s}
keep|q|{s} Что посоветуешь?
keep|p|Привет! {s}`,
  pl: `w|o|Przetłumacz to na angielski:\\n\\n{s}
w|o|Popraw to zdanie: {s}
f|o|Ty jesteś lekarzem, a ja pacjentem. {s}
f|o|Napisz opowiadanie, które zaczyna się tak: {s}
keep|q|Możesz mi pomóc? {s}
keep|q|{s} Co polecasz?
keep|p|Cześć! {s}`,
  tr: `w|o|Bunu İngilizceye çevir:\\n\\n{s}
w|o|Şu cümleyi düzelt: {s}
f|o|Sen doktorsun, ben hastayım. {s}
f|o|Şöyle başlayan bir hikâye yaz: {s}
keep|q|Yardım eder misin? {s}
keep|q|{s} Ne önerirsin?
keep|p|Merhaba! {s}`,
};

/** Sentences of written messages, set into frames: the same words are a fact after "hello" and none after "translate". */
export function augment(messages: readonly Labelled[], seed: number): Labelled[] {
  const random = seeded(seed);
  const pools = new Map<string, { text: string; labels: (Label | undefined)[]; source: string; id: string }[]>();
  for (const message of messages)
    for (const sentence of sentencesOf(message)) {
      const pool = pools.get(message.lang);
      if (pool) pool.push(sentence);
      else pools.set(message.lang, [sentence]);
    }
  return [...pools].flatMap(([lang, pool]) => {
    const settings = (SETTINGS[lang] ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map(parseSetting);
    if (settings.length === 0) return [];
    return pool.map((first) => {
      const setting = settings[Math.floor(random() * settings.length)] ?? settings[0];
      const second = pool[Math.floor(random() * pool.length)] ?? first;
      return setIn(setting ?? { text: "{s}", own: "p", sentence: undefined }, [first, second], lang);
    });
  });
}

function parseSetting(line: string): Setting {
  const [sentence = "", own = "", text = ""] = line.split("|");
  return { text: text.replaceAll("\\n", "\n"), own, sentence: sentence === "keep" ? undefined : sentence };
}

type Sentence = { text: string; labels: (Label | undefined)[]; source: string; id: string };

function sentencesOf({ text, clauses, labels, source, id }: Labelled): Sentence[] {
  return [...Map.groupBy(clauses, ({ sentence }) => sentence).values()].flatMap((group) => {
    const own = group.map((clause) => labels[clauses.indexOf(clause)]);
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last || first.kind !== "prose" || !own.some((label) => label?.keep)) return [];
    return own.every((label) => label?.frame === "a")
      ? [{ text: text.slice(first.start, last.end), labels: own, source, id }]
      : [];
  });
}

function setIn({ text: frame, own, sentence }: Setting, sentences: readonly Sentence[], lang: string): Labelled {
  let text = "";
  const spans: { start: number; end: number; from: Sentence }[] = [];
  for (const [index, part] of frame.split("{s}").entries()) {
    const from = sentences[index - 1];
    if (from) {
      spans.push({ start: text.length, end: text.length + from.text.length, from });
      text += from.text;
    }
    text += part;
  }
  const clauses = splitClauses(text);
  const taken = new Map<Sentence, number>();
  const labels = clauses.map((clause) => {
    const span = spans.find(({ start, end }) => clause.start < end && clause.end > start);
    if (span === undefined) return parseCode(own);
    if (sentence !== undefined) return parseCode(sentence);
    const at = taken.get(span.from) ?? 0;
    taken.set(span.from, at + 1);
    return span.from.labels[Math.min(at, span.from.labels.length - 1)];
  });
  const [first] = sentences;
  return {
    id: `set ${first?.id ?? ""} ${text.length}`,
    source: first?.source ?? "",
    lang,
    text,
    before: undefined,
    clauses,
    labels,
  };
}
