import { contentWords, stemWord } from "../language/content-words.ts";
import { detectLanguage } from "../language/language.ts";

// One idea a line, in the nine languages: so a question in one finds words in another. The first word names the idea.
const IDEAS = `
name called name nickname surname named heiße heißt heißen name nombre llamo llama llaman nom prénom appelle appellent nome chama chamo chamar nome chiamo chiama naam heet 名字 叫 姓名 名前
wife wife frau ehefrau mujer esposa femme épouse mulher esposa moglie vrouw echtgenote 妻子 老婆 太太 妻 奥さん 嫁
husband husband mann ehemann marido esposo mari époux marido marito man echtgenoot 丈夫 老公 先生 夫 旦那
girlfriend girlfriend freundin novia copine namorada fidanzata ragazza vriendin 女朋友 女友 彼女
boyfriend boyfriend freund novio copain namorado fidanzato ragazzo vriend 男朋友 男友 彼氏
partner partner partnerin pareja compagne compagnon companheiro companheira compagno compagna partner 对象 伴侣 パートナー
daughter daughter daughters tochter töchter hija hijas fille filles filha filhas figlia figlie dochter dochters 女儿 娘
son son sons sohn söhne hijo hijos fils filho filhos figlio figli zoon zonen 儿子 息子
child child children kids kid kind kinder hijos enfants enfant crianças bambini bambino kinderen 孩子 子供 子ども
mother mother mum mom mummy mama mutter mutti madre mamá mère maman mãe madre mamma moeder mama 妈妈 母亲 妈 母 お母さん
father father dad daddy papa vater padre papá père pai padre papà babbo vader 爸爸 父亲 爸 父 お父さん
parents parents eltern padres parents pais genitori ouders 父母 爸妈 両親
brother brother brothers bruder brüder hermano hermanos frère frères irmão irmãos fratello fratelli broer broers 哥哥 弟弟 兄 弟
sister sister sisters schwester schwestern hermana hermanas sœur sœurs soeur irmã irmãs sorella sorelle zus zussen 姐姐 妹妹 姉 妹
grandmother grandmother gran grandma nan oma großmutter abuela grand-mère mamie avó nonna oma 奶奶 外婆 祖母 おばあちゃん
grandfather grandfather grandad grandpa opa großvater abuelo grand-père papi avô nonno opa 爷爷 外公 祖父 おじいちゃん
grandchild grandchild grandchildren grandson granddaughter twins enkel enkelin nieto nieta nietos petit-fils petite-fille neto neta netos nipote nipoti kleinkind kleinkinderen 孙子 孙女 孫
niece niece nichte sobrina nièce sobrinha nipote nicht 侄女 外甥女 姪
nephew nephew neffe sobrino neveu sobrinho nipote neef 侄子 外甥 甥
aunt aunt auntie tante tía tante tia zia tante 阿姨 姑姑 おば
uncle uncle onkel tío oncle tio zio oom 叔叔 舅舅 おじ
cousin cousin cousine primo prima cousin primo prima cugino cugina neef nicht 表哥 いとこ
inlaw in-laws mother-in-law father-in-law schwiegermutter schwiegervater schwiegereltern suegra suegro belle-mère beau-père sogra sogro suocera suocero schoonmoeder schoonvader 婆婆 岳母 義母 義父
family family familie familia famille família famiglia familie gezin 家人 家庭 家族
friend friend bestie freund amigo amiga ami amie amigo amiga amico amica vriend vriendin 朋友 友達
dog dog puppy hund welpe perro perra cachorro chien chienne cão cachorro cane hond 狗 犬
cat cat kitten katze kater gato gata chat chatte gato gata gatto gatta kat poes 猫
bird bird budgie budgerigar parrot vogel wellensittich papagei pájaro loro oiseau perroquet pássaro papagaio uccello pappagallo vogel papegaai 鸟 鳥
pet pet pets haustier haustiere mascota mascotas animal animaux animal bicho animale animali huisdier huisdieren 宠物 ペット
job job work works working occupation profession living career title promoted role shift shifts trainer beruf arbeit arbeite arbeiten arbeitet job trabajo trabaja profesión travail travaille métier boulot bosse trabalho trabalha emprego profissão lavoro lavora mestiere professione werk werkt beroep baan 工作 职业 上班 仕事 職業 働
boss boss manager report supervisor chef chefin vorgesetzter jefe jefa patron patronne responsable chefe gerente capo direttore baas leidinggevende 老板 上司
team team colleague colleagues kollege kollegen kollegin equipo compañero compañeros équipe collègue collègues equipa equipe colega colegas squadra collega colleghi team collega 团队 同事 同僚 チーム
home home live lives living lived neighbourhood neighborhood based reside moved moving flat house wohne wohnt wohnen wohnung wohnort vivo vive vivir vivimos domicilio habite habitent habiter logement moro mora morar moramos moradia mudei bairro abito abita vive casa woon woont wonen woonplaats 住 家 搬 住んで 引っ越
born born birth geboren nacido nací naci nacer née né naissance nascido nasceu nasci nato nata nascita geboren 出生 生まれ
from from comes origin komme kommt stamme soy viens vient sou venho vengo viene kom komt herkomst 来自 老家 出身
birthday birthday dob geburtstag cumpleaños cumple anniversaire aniversário compleanno verjaardag jarig 生日 誕生日
age old age alt alter edad âge idade età leeftijd oud 岁 年龄 歳 年齢
phone phone telephone mobile number telefon telefonnummer handy handynummer nummer teléfono móvil téléphone portable numéro telefone celular telemóvel telefono cellulare telefoon mobiel 电话 手机 電話 携帯
address address street adresse straße dirección adresse endereço morada indirizzo adres 地址 住址 住所
email email e-mail mail correo courriel 邮箱 メール
car car drive drives van auto wagen lieferwagen fahre coche carro furgoneta voiture conduis carro dirijo conduzo macchina auto guido auto rij 车 开车 車
bike bike bicycle cycle fahrrad rad bici bicicleta vélo bike bicicleta bici fiets 自行车 自転車
allergy allergic allergy allergies intolerant allergisch allergie allergien alérgico alérgica alergia allergique allergie intolérant alérgico alérgica alergia allergico allergica allergia allergisch 过敏 アレルギー
medicine medicine medicines medication meds tablets pills take takes taking medikament medikamente tabletten nehme medicina medicamento pastillas tomo médicament médicaments traitement prends remédio remédios tomo medicina farmaco farmaci prendo medicijn medicijnen slik 药 吃药 薬 服用
diet vegan vegetarian pescatarian veggie diet vegetarier vegetarisch veganer vegano vegana vegetariano vegetariana végétarien végétarienne végan vegetariano vegetariana vegetarisch veganistisch 素食 吃素 ベジタリアン
eat eat eats eating food esse essen isst essen comer como comida manger mange nourriture comer como comida mangiare mangio cibo eten eet 吃 食べ
drink drink drinks drinking alcohol trinke trinken trinkt alkohol beber bebo alcohol boire bois alcool beber bebo álcool bere bevo drinken drink alcohol 喝 酒 飲
wine wine wein vino vin vinho vino wijn 红酒 ワイン
beer beer bier cerveza bière cerveja birra bier 啤酒 ビール
coffee coffee kaffee café café caffè koffie 咖啡 コーヒー
tea tea tee té thé chá tè thee 茶 お茶
meat meat beef pork fleisch schweinefleisch rindfleisch carne viande carne vlees 肉
fish fish fisch pescado poisson peixe pesce vis 鱼 魚
doctor doctor gp dr arzt ärztin hausarzt hausärztin médico médica doctor médecin docteur médico médica medico dottore dottoressa huisarts dokter 医生 医師
dentist dentist zahnarzt zahnärztin dentista dentiste dentista tandarts 牙医 歯医者
therapist therapist therapy therapeut therapeutin therapie terapeuta terapia psicólogo thérapeute thérapie psy terapeuta terapia psicologo therapeut 治疗师 セラピスト
teacher teacher lehrer lehrerin profesor profesora maestro maestra professeur prof maître professor professora insegnante maestro maestra leraar lerares juf 老师 先生
school school primary academy schule grundschule escuela colegio école escola scuola school 学校 小学
university university college uni degree studying studies study universität studium studiere universidad carrera université fac études universidade faculdade faço università studio universiteit studie 大学
wedding wedding married marry marries hochzeit heiraten heiratet boda casar casa mariage marier casamento casar matrimonio nozze sposa bruiloft trouwen 婚礼 结婚 結婚式
holiday holiday vacation trip travel urlaub reise ferien fahren vacaciones viaje vacances voyage férias viagem vacanza vacanze viaggio vakantie reis 假期 旅行 休暇
flight flight fly flying flug fliegen vuelo volar vol avion voo voar volo volare vlucht vliegen 航班 飞机 飛行機
appointment appointment termin cita rendez-vous consulta compromisso appuntamento afspraak 预约 約束 予約
rent rent miete alquiler loyer aluguel renda affitto huur 房租 家賃
landlord landlord landlady vermieter vermieterin casero casera propriétaire senhorio proprietário padrone huisbaas 房东 大家
price price cost costs charge charges rate preis kosten kostet stundensatz precio cuesta cobra prix coûte tarif preço custa cobra prezzo costa prijs kost 价格 价钱 値段
budget budget presupuesto orçamento 预算 予算
language language languages speak speaks sprache sprachen spreche idioma idiomas hablo langue langues parle língua línguas idioma falo lingua lingue parlo taal talen spreek 语言 会说 言語
book read reading novel buch bücher lese libro libros leo livre livres lis livro livros leio libro libri leggo boek boeken lees 书 读 本
film film movie movies filme película cine film filme film 电影 映画
favourite favourite favorite lieblings favorito favorita préféré préférée favorito favorita preferido preferito preferita favoriete 最喜欢 一番好き
like like likes love loves enjoy enjoys prefer prefers mag liebe gern gusta gustan encanta aime adore gosto adoro amo piace piacciono adoro amo hou houd leuk 喜欢 爱 好き
hate hate hates dislike stand hasse odio detesto déteste odeio detesto odio detesto haat 讨厌 恨 嫌い 苦手
colour colour color farbe color couleur cor colore kleur 颜色 色
shoe shoe shoes schuh schuhgröße zapato zapatos pointure chaussure sapato sapatos scarpa scarpe schoen schoenmaat 鞋 靴
size size größe talla taille tamanho taglia maat 尺码 サイズ
height tall height groß größe mido altura altezza alto alta taille mesure altura lang lengte 身高 身長
weight weigh weight wiege gewicht peso poids pèse peso peso weeg gewicht 体重
blood blood blut blutgruppe sangre grupo sang sangue bloed bloedgroep 血型 血液型
church church kirche iglesia église igreja chiesa kerk 教堂 教会
neighbour neighbour neighbor nachbar nachbarin vecino vecina voisin voisine vizinho vizinha vicino vicina buurman buurvrouw 邻居 隣人
plumber plumber klempner fontanero plombier encanador canalizador idraulico loodgieter 水管工
gardener gardener gärtner jardinero jardinier jardineiro giardiniere tuinman 园丁
cleaner cleaner putzfrau reinigungskraft limpiadora asistenta ménage faxineira empregada pulizie schoonmaakster 保洁
lawyer lawyer solicitor attorney anwalt anwältin rechtsanwalt abogado abogada avocat avocate advogado advogada avvocato avvocata advocaat 律师 弁護士
accountant accountant steuerberater steuerberaterin contable contador contadora asesor comptable contador contadora contabilista commercialista boekhouder accountant 会计 税理士
insurance insurance insurer versicherung seguro aseguradora assurance seguro seguradora assicurazione verzekering 保险 保険
bank bank banco banque banco banca 银行 銀行
salary salary wage earn gehalt lohn verdiene sueldo salario gano salaire gagne salário ganho stipendio guadagno salaris verdien 工资 薪水 給料
laptop laptop computer notebook ordenador portátil computadora ordinateur computador portátil 电脑 笔记本 パソコン
visa visa visum visado visto 签证 ビザ
gym gym workout fitness fitnessstudio gimnasio salle academia ginásio treino palestra sportschool 健身房 ジム
class class lesson lessons course kurs unterricht stunde clase clases curso cours classe aula aulas curso lezione lezioni corso les cursus 课 上课 授業 レッスン
baby baby säugling bebé bébé bebê bebé bimbo neonato 宝宝 婴儿 赤ちゃん
pregnant pregnant due expecting schwanger embarazada enceinte grávida incinta zwanger 怀孕 妊娠
die died die dead passed death gestorben tot verstorben murió muerto falleció mort morte décédé morreu faleceu morto morta overleden dood 去世 死 亡くな
retire retired retire pension rente pensioniert jubilado jubilé retraité retraite aposentado aposentei reformado pensione pensionato pensioen gepensioneerd 退休 退職
tattoo tattoo tätowierung tatuaje tatouage tatuagem tatuaggio tatoeage 纹身 タトゥー
glasses glasses spectacles brille gafas lunettes óculos occhiali bril 眼镜 メガネ
run running run runs jog laufe laufen joggen correr corro courir cours correr corro correre corro hardlopen ren 跑步 走る
swim swim swimming schwimme schwimmen nadar nado nager nage nadar nado nuotare nuoto zwemmen zwem 游泳 泳ぐ
play play plays playing spiele spielt spielen toco toca juego jugar joue jouer jogo toca tocar jogar suono gioco suonare speel speelt spelen 玩 弹 演奏
asthma asthma asma asthme 哮喘 喘息
buy buy bought kaufe kaufen gekauft compro comprar compré achète acheter acheté compro comprar comprei compro comprare comprato koop kopen gekocht 买 買
start start started begin began begins anfangen angefangen empezar empecé commencer commencé começar comecei iniziare iniziato beginnen begonnen 开始 始め
close closed close closes geschlossen zu cerrado fermé fechado chiuso gesloten dicht 关门 閉まる
open open opens opening offen öffnet abre abrir abierto ouvre ouvert abre abrir aberto apre aperto open opent 开门 开
summer summer sommer verano été verão estate zomer 夏天 夏
editor editor 编辑器 エディタ
café café cafe
dream dream traum sueño rêve sonho sogno droom 梦 夢
expire expire expires valid renew renewed läuft gültig abgelaufen caduca expire valable expira válido scade valido verloopt geldig 到期 有効
`;

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
  return IDEAS.split("\n").flatMap((line) => {
    const [idea = "", ...words] = line.split(" ");
    return idea !== "" && ideas.has(idea) ? words : [];
  });
}

const NAMES = new Set(IDEAS.split("\n").map((line) => line.split(" ")[0] ?? ""));
const BY_WORD = new Map<string, string[]>();
// Words that mean something here though they are too frequent to count elsewhere.
const BY_STOPPED = new Map<string, string[]>();
const BY_CHARACTERS: [string, string][] = [];
for (const line of IDEAS.split("\n")) {
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
