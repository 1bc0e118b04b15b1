import { describe, expect, it } from "vitest";
import { ownStatements } from "../../src/belief/own-statements.ts";
import { isQuestion } from "../../src/belief/question.ts";
import { readMessage } from "../../src/belief/read-message.ts";

const factsOf = (text: string) =>
  readMessage({ id: "m", text, speaker: "User", saidAt: undefined, timezone: "UTC" }).quotations.map(
    ({ words }) => words,
  );

const ASKED: Readonly<Record<string, string>> = {
  en: `I live where again|my blood type is what|my dog's name was what|the vet appointment is when|my shoe size is how big
    my dentist is called what exactly|I work at which company|my birthday is on what day|where do i live again|am I allergic to nuts`,
  de: `mein Zahnarzt heißt wie|ich wohne wo nochmal|mein Geburtstag ist wann|ich wohne in welcher Stadt|bei wem bin ich versichert
    mein Sohn ist wie alt|mein Termin ist um wie viel Uhr|wie heißt mein Zahnarzt`,
  es: `mi dentista se llama cómo|vivo dónde|mi cumpleaños es cuándo|como se llama mi dentista|donde vivo|mi talla es cuál|con quién vivo`,
  fr: `mon dentiste s'appelle comment|j'habite où déjà|mon anniversaire c'est quand|j'ai quel âge|mon groupe sanguin c'est quoi
    comment s'appelle mon dentiste|chez qui je travaille`,
  it: `come si chiama il mio dentista|il mio dentista si chiama come|abito dove|il mio compleanno è quando|con chi vivo|di che marca è la mia auto quale`,
  nl: `hoe heet mijn tandarts|mijn tandarts heet hoe|ik woon waar ook alweer|mijn verjaardag is wanneer|in welke stad woon ik`,
  pt: `qual é o meu tipo sanguíneo|meu dentista se chama como|eu moro onde|meu aniversário é quando|como se chama o meu dentista`,
  zh: `我的牙医叫什么名字|我的生日是哪天|我住在哪个城市|我的血型是什么型|我对什么过敏|我的狗叫什么名字来着|我最喜欢哪种茶|我应该吃什么药
    我是不是对花生过敏|我有没有告诉过你我的地址|我在哪家公司工作|我妻子的生日是几号|我几点要开会|我喜欢喝茶吗|我喜欢什么颜色
    请问我的车牌号是多少|我多大了|我家有几口人|我喜不喜欢喝茶|我有几个孩子|我喜欢不喜欢喝茶|我是A型还是B型|我的牙醫叫什麼名字
    我住在哪裡|我儿子今年几岁|我家在几楼|我周几上班|我怎么去公司|我女儿多高|我吃药了没有|我的生日是哪天。|我住在北京，我的邮编是多少`,
  ja: `私の誕生日はいつでしたか|私の犬の名前は何だっけ|私はどこに住んでいますか|私の歯医者の名前を教えて|私はどこに住んでる
    私の血液型は何型|歯医者の名前は|私の誕生日はいつ|私は何が好き|私の上司は誰です`,
  other: `где я живу|мой день рождения когда|как зовут моего врача|내 생일이 언제야|내가 어디에 살아|내 치과 의사 이름이 뭐야|ฉันอยู่ที่ไหน
    ฉันแพ้อะไร|หมอฟันของฉันชื่ออะไร|nerede yaşıyorum|doğum günüm ne zaman|diş hekimimin adı ne|ما اسم طبيب أسناني؟|أين أسكن؟|أين أسكن
    πού μένω;|πότε είναι τα γενέθλιά μου\u037E|kiedy są urodziny mojej żony|איפה אני גר|मेरा जन्मदिन कब है|Ո՞րտեղ եմ ապրում|where do I live⁇`,
};

// Statements that look like questions: what is asked about nowhere, known, or meant as "any" or "some".
const TOLD: Readonly<Record<string, string>> = {
  en: `I love my wife no matter what|I live where the river bends|I have a dog and I know how to train him|I work in the house in which I was born
    I am allergic to nuts, that's how it is|I have somewhat bad eyes`,
  de: `ich wohne da, wo der Fluss ist|ich esse gern was Süßes|ich bin genauso alt wie mein Bruder und er weiß wie|ich arbeite egal wo|ich esse abends was`,
  es: `vivo en Lima y bebo vino de vez en cuando|en casa no como carne|trabajo donde nací, en Quito`,
  fr: `je travaille n'importe où|j'habite là où je suis né|je mange n'importe quoi`,
  it: `vivo a Roma e bevo vino di quando in quando|come te, vivo a Roma|non mangio carne, bevo così così`,
  nl: `ik woon in Gent, dat is waar|ik eet 's avonds wat|ik woon waar mijn ouders wonen`,
  pt: `carne eu não como|moro no Porto e bebo vinho de vez em quando`,
  zh: `我什么都吃|我几乎不喝酒|我有几个朋友|我有几个朋友住在北京|我不怎么喝咖啡|我没什么爱好|我谁都不怕|我哪怕下雨也跑步|我喜欢苹果什么的
    我每天几乎都跑步|我学了几年法语|我有十几本书|我时不时喝茶|我住在柏林|我怎么都不吃香菜|我哪里都去过|我想吃什么就吃什么
    我教孩子怎么画画|我养了好几只猫|我知道怎么游泳|我还是喜欢喝茶|我有几十本书`,
  ja: `私は何でも食べます|私はいつもお茶を飲みます|私は誰とも住んでいません|私は何年も東京に住んでいます|私はどこでも寝られます
    私は猫を何匹か飼っています|私はお酒を何も飲みません`,
  other: `я живу в Берлине|ما أحب القهوة|저는 서울에 살아요|ฉันอยู่กรุงเทพ|İstanbul'da yaşıyorum|أسكن في بيروت|μένω στην Αθήνα`,
};

const each = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([code, lines]) => lines.split(/[|\n]/).map((line) => [code, line.trim()] as const));

describe("a question without a mark", () => {
  it.each(each(ASKED))("%s: %j is asked, and no fact", (_, text) => {
    expect(isQuestion(text)).toBe(true);
    expect(factsOf(text).filter((words) => !words.includes("北京"))).toEqual([]);
  });
});

describe("a statement that looks like a question", () => {
  it.each(each(TOLD))("%s: %j is told", (_, text) => {
    expect(isQuestion(text)).toBe(false);
  });

  it("is kept where it is to be remembered", () => {
    expect(factsOf("Запомни: когда я ем орехи, мне плохо")).toHaveLength(1);
    expect(isQuestion("Запомни, где лежит ключ: под ковриком")).toBe(false);
  });
});

describe("what is told beside a question", () => {
  it.each([
    "The plumber we used last year, what was his name?",
    "Quick check: which bank holds my mortgage?",
    "Found in memory: what did you say?",
    "Mortgage: which bank?",
    "I forgot: where did I park the car?",
    "Mi dentista, ¿cómo se llama?",
    "J'ai oublié, où est-ce que j'ai garé la voiture ?",
    "Mein Zahnarzt, wie heißt der nochmal?",
    "Il mio dentista, come si chiama?",
    "Mijn tandarts, hoe heet die?",
    "O meu dentista, como se chama?",
    "歯医者の名前は？",
    "где я живу",
    "أين أسكن؟",
  ])("%j: nothing", (text) => {
    expect(ownStatements(text)).toBe("");
  });

  it.each([
    ["I moved to Bonn in May, where do I register?", "I moved to Bonn in May"],
    ["Ich wohne jetzt in Bern, wo melde ich mich an?", "Ich wohne jetzt in Bern"],
    ["Vivo en Lima, ¿dónde hay un dentista?", "Vivo en Lima"],
    ["我住在北京，我的邮编是多少", "我住在北京"],
    ["I have two children: Susan, who lives in Exeter, and Andrew, who is five.", undefined],
    ["Andrew, who is in Melbourne, plays golf", undefined],
    ["The plumber we used last year was called Kurt.", undefined],
  ])("%j: only what was told", (text, told) => {
    expect(ownStatements(text)).toBe(told ?? text);
  });
});
