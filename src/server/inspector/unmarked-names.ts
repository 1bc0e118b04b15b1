import type { MemoryMap } from "./memory-map.ts";

type Kind = MemoryMap["names"][number]["kind"];

/** A name as a fact says it, and what it seems to be. */
export interface UnmarkedName {
  name: string;
  kind: Kind;
}

/**
 * The names in scripts without capitals: Chinese, Japanese, Korean, Arabic. Only the words around a name tell that it is
 * one: whose sister, who is called so, where someone lives. A name that nothing of the kind stands beside is missed.
 */
export function findUnmarkedNames(fact: string): UnmarkedName[] {
  const found = RULES.flatMap(({ script, cues }) =>
    script.test(fact)
      ? cues.flatMap(({ kind, pattern }) =>
          [...fact.matchAll(pattern)].flatMap(({ groups }) => {
            const name = groups?.["name"]?.trim() ?? "";
            return isName(name) ? [{ name, kind }] : [];
          }),
        )
      : [],
  );
  return [...new Map(found.map((each) => [`${each.kind} ${each.name}`, each])).values()];
}

/** Whether a fact says a name that is known from another one. */
export function mentionsUnmarked(fact: string, name: string): boolean {
  if (!fact.includes(name)) return false;
  if (/\p{Script=Arabic}/u.test(name)) return new RegExp(`(?<!\\p{L})[وبلفك]{0,2}${name}(?!\\p{L})`, "u").test(fact);
  if (/\p{Script=Hangul}/u.test(name)) return new RegExp(`(?<!\\p{L})${name}`, "u").test(fact);
  return true;
}

/** Whether a name is written in one of these scripts. */
export function isUnmarked(name: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{M}\sー・]+$/u.test(
    name,
  );
}

// What stands where a name could, and is none.
const NO_NAMES = new Set(
  (
    "家 家里 公司 学校 办公室 医院 这里 那里 城里 国外 周末 早上 晚上 下午 上午 中午 今天 明天 昨天 每天 用户 我们 他们 她们 自己 大家 先生 女士 老师 海边 山上 东西 时候 旁边 附近 哪里 一个 一家 " +
    "自宅 会社 学校 職場 病院 毎日 週末 今日 明日 昨日 午前 午後 家族 友達 ユーザー 一人 実家 近所 場所 仕事 " +
    "집 회사 학교 병원 아침 저녁 오전 오후 주말 매일 오늘 내일 어제 사용자 우리 자기 혼자 여기 거기 밤 낮 함께 같이 바다 근처 시골 도시 일 해외 " +
    "البيت المنزل العمل المدرسة الشركة المكتب المستشفى الصباح المساء اليوم غدا أمس المستخدم المستخدمة هنا هناك مدينة الخارج الجامعة عام سنة شهر يوم كل نفس شركة بيت قرية"
  ).split(" "),
);

function isName(name: string): boolean {
  return name.length > 1 && !NO_NAMES.has(name) && !/^(?:\d|[一二三四五六七八九十百]+[年月日号時点个])/u.test(name);
}

const HAN = String.raw`\p{Script=Han}`;
const SURNAMES =
  "王李张陈刘杨黄赵吴周徐孙马朱胡林郭何高罗郑梁谢宋唐许韩冯邓曹彭曾萧田董潘袁蔡蒋余于杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤";
// After a name in Chinese comes what they do or are, or the clause ends.
const AFTER_CHINESE =
  "(?=住|在|是|喜|爱|说|的|和|跟|与|去|来|有|想|会|每|也|很|不|已|将|从|养|开|做|教|学|工|搬|今|明|今年|[，。、；：！？,.;:!?）)\\s]|$)";
const KIN_CHINESE =
  "姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|母亲|父亲|妻子|丈夫|太太|老婆|老公|女儿|儿子|朋友|同事|老板|上司|邻居|同学|女友|男友|女朋友|男朋友|医生|教练|名叫|叫做|叫|名字是|姓名是";
const END_PLACE_CHINESE =
  "(?=工作|上班|上学|读书|生活|出差|旅行|旅游|出生|长大|买|开|的|了|有|和|学|过|度假|，|。|、|；|,|\\.|;|\\s|$)";

const ARABIC = String.raw`[\p{Script=Arabic}\p{M}]`;
const GOES_JAPANESE =
  "(?=に住|へ引っ越|に引っ越|で働|で生まれ|へ行|に行|出身|から来|に旅行|へ出張|に出張|で育|で暮ら|に移)";

const RULES: readonly { script: RegExp; cues: readonly { kind: Kind; pattern: RegExp }[] }[] = [
  {
    script: /\p{Script=Han}/u,
    cues: [
      {
        kind: "person",
        pattern: regex(`(?:${KIN_CHINESE})(?<name>(?!${HAN}?[的是在和])${HAN}{2,3}?)${AFTER_CHINESE}`),
      },
      {
        kind: "person",
        pattern: regex(
          `(?<![${SURNAMES}])(?<name>[${SURNAMES}]${HAN}{1,2}?)(?=住在|喜欢|是|说|爱|在|的|和|养|想|会|下个|下周|下月|明年|今年|去年|明天|每)`,
        ),
      },
      {
        kind: "place",
        pattern: regex(
          `(?:住在|搬到|搬去|来自|出生在|出生于|位于|前往|飞往|飞到|去过|定居|移居)(?<name>${HAN}{2,8}?)${END_PLACE_CHINESE}`,
        ),
      },
      {
        kind: "place",
        pattern: regex(
          `[在去到](?<name>${HAN}{2,6}?)(?=工作|上班|上学|读书|生活|出差|旅行|旅游|出生|长大|度假|做|学习|开会|参加)`,
        ),
      },
      // Japanese: a name and its particle, a kin term before or a form of address behind.
      {
        kind: "person",
        pattern: regex(
          `(?<![${HAN}ァ-ヶー])(?<name>[${HAN}ァ-ヶー・]{1,6}?|[ぁ-ん]{2,4}?)(?=さん|ちゃん|くん|君|様|氏)`,
        ),
      },
      {
        kind: "person",
        pattern: regex(
          `(?:姉|妹|兄|弟|母|父|妻|夫|娘|息子|友人|友達|同僚|上司|彼女|彼氏|先生|名前)[のは、](?<name>[${HAN}ァ-ヶー・]{2,6}|[ぁ-ん]{2,4}?)(?=は|が|と|を|に|も|さん|です|という|、|。|$)`,
        ),
      },
      {
        kind: "place",
        pattern: regex(`(?<!${HAN})(?<name>${HAN}{2,8}?)${GOES_JAPANESE}`),
      },
      { kind: "place", pattern: regex(`(?<![ァ-ヶー])(?<name>[ァ-ヶー・]{2,10})${GOES_JAPANESE}`) },
    ],
  },
  {
    script: /\p{Script=Hangul}/u,
    cues: [
      {
        kind: "person",
        pattern: regex(
          String.raw`(?:누나|언니|오빠|형|동생|여동생|남동생|어머니|아버지|엄마|아빠|친구|아내|남편|딸|아들|상사|동료|선배|후배|이름은|이름이)\s+(?<name>\p{Script=Hangul}{2,4}?)(?=은|는|이|가|을|를|와|과|의|도|씨|님|랑|입니다|이다|[\s,.]|$)`,
        ),
      },
      {
        kind: "person",
        pattern: regex(
          String.raw`(?<!\p{L})(?<name>\p{Script=Hangul}{2,4}?)(?=\s?(?:씨|님|군|양)(?:은|는|이|가|을|를|와|과|의|도|에게|[\s,.]|$))`,
        ),
      },
      {
        kind: "person",
        pattern: regex(
          String.raw`(?<!\p{L})(?<name>[김이박최정강조윤장임한오서신권황안송류홍전고문손양배백허남심노하곽성차주우구민유진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국여][가-힣]{2})(?=(?:은|는|이|가)\s)`,
        ),
      },
      {
        kind: "place",
        pattern: regex(
          String.raw`(?<!\p{L})(?<name>\p{Script=Hangul}{2,6}?)(?:에서|에|으로|로)\s+(?=산다|살|사는|삽|이사|일하|일한|근무|갔|간다|가는|갈|태어|출장|여행|공부|다닌|자랐|있는\s회사)`,
        ),
      },
      { kind: "place", pattern: regex(String.raw`(?<!\p{L})(?<name>\p{Script=Hangul}{2,6}?)\s?출신`) },
    ],
  },
  {
    script: /\p{Script=Arabic}/u,
    cues: [
      {
        kind: "person",
        pattern: regex(
          String.raw`(?<!\p{L})(?:[وفبل]?(?:أخ|أخت|صديق|صديقت|زوجت|زوج|ابن|ابنت|أم|أب|مدير|مديرت|زميل|زميلت|جار|جارت|والد|والدت|خطيبت|خطيب|طبيب|طبيبت)(?:ي|ه|ها|هم|نا)|اسم(?:ه|ها|ي)|يدعى|تدعى|السيد|السيدة|الدكتور|الدكتورة)\s+(?<name>${ARABIC}{2,}(?:\s+(?:بن|ابن|بنت|أبو|عبد)\s+${ARABIC}+)?)`,
        ),
      },
      {
        kind: "place",
        pattern: regex(
          String.raw`(?<!\p{L})(?:و?(?:يعيش|تعيش|أعيش|يسكن|تسكن|أسكن|يعمل|تعمل|أعمل|ولد|ولدت|انتقل|انتقلت|سافر|سافرت|يسافر|تسافر|يدرس|تدرس|أدرس|يقيم|تقيم)\s+(?:${ARABIC}+\s+){0,2}?(?:في|إلى|من|الى)\s+(?:مدينة\s+|قرية\s+)?)(?<name>ال${ARABIC}+\s+ال${ARABIC}+|${ARABIC}{2,})`,
        ),
      },
      {
        kind: "person",
        pattern: regex(
          String.raw`(?:^|[.،؛]\s)(?<name>(?!ال)${ARABIC}{3,})\s+(?:ت|ي)(?:زور|حب|عيش|عمل|سكن|درس|ريد|سافر|كتب|لعب|فضل|كره|ملك|قول|تعلم|أتي|أكل|شرب)(?!\p{L})`,
        ),
      },
      { kind: "place", pattern: regex(String.raw`(?<!\p{L})[وس]?(?:يزور|تزور|أزور|نزور)\s+(?<name>${ARABIC}{3,})`) },
      {
        kind: "place",
        pattern: regex(String.raw`(?<!\p{L})(?:مدينة|قرية|جزيرة)\s+(?<name>ال${ARABIC}+\s+ال${ARABIC}+|${ARABIC}{2,})`),
      },
    ],
  },
];

function regex(source: string): RegExp {
  return new RegExp(source, "gu");
}
