import type { StemmedLanguage } from "./stem.ts";

const WORDS: Record<StemmedLanguage, string> = {
  en: `a about above after again against all also am an and any are aren as at be because been before being below between both but by
    can cannot could couldn d did didn do does doesn doing don down during each few for from further get got had hadn has hasn have haven
    having he her here hers herself him himself his how i if in into is isn it its itself just ll m me mention more most mustn my myself no
    nor not of off on once only or other our ours ourselves out over own please re s same shan she should shouldn so some such t than that
    the their theirs them themselves then there these they this those through to too under until up us ve very was wasn we were weren what
    when where which while who whom whose why will with won would wouldn you your yours yourself yourselves`,
  de: `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da
    damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine
    einem einen einer eines er es etwas euch euer eure fur gegen gibt hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre
    ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinen konnen konnte machen man mein meine
    meinem meinen meiner mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so
    soll sondern uber um und uns unser unsere unter viel vom von vor wahrend wann war waren warum was weil welche welchem welchen welcher
    welches wenn wer werde werden wie wieder will wir wird wirst wo wurde wurden zu zum zur zwischen`,
  fr: `ai au aux avec c ce ces cet cette comment d dans de des donc du elle elles en es est et eu eux il ils j je l la le les leur leurs
    lui ma mais me mes moi mon n ne nos notre nous on ont ou par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa
    sans se ses si son sont sur ta te tes toi ton tu un une vos votre vous y etait ete etes etre fait suis avait avoir aussi plus`,
  es: `a al algo ante antes como con contra cual cuales cuando de del desde donde dos durante e el ella ellas ellos en entre era eran es
    esa ese eso esta estaba estan este esto fue ha habia han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos o os
    otra otro para pero poco por porque que quien quienes se sea ser si sin sobre son su sus tambien tanto te tiene todo todos tu tus un
    una unas uno unos y ya yo`,
  it: `a ad agli ai al alla alle anche c che chi ci come con contro cosa cui da dai dal dalla dalle degli dei del della delle di dopo dove e ed era
    erano gli ha hai hanno ho i il in io l la le lei lo loro lui ma mi mia mio ne negli nei nel nella nelle noi non nostro o per perche
    piu quale quali quando quanto quella quello questa questo qui se sei si sia sono su sua sue sui sul sulla suo te ti tra tu tua tuo
    tutti tutto un una uno vi voi`,
  pt: `a ao aos as ate com como da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta estao estava este eu foi
    foram ha isso isto ja lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelo
    por porque qual quais quando que quem se sem ser seu sua sao so tambem te tem tinha um uma voce voces`,
  nl: `aan al alles als altijd ben bij dan dat de der deze die dit doch doen door dus een en er ge geen had heb hebben heeft hem het hier
    hij hoe hun ik in is ja je kan kon maar me meer men met mij mijn moet na naar niet nog nu of om omdat ons ook op over te tegen toch
    toen tot u uit uw van veel voor waar waarom wanneer want waren was wat we wel werd wezen wie wij wil worden zal ze zei zich zij zijn
    zo zou`,
  sv: `att av bli blev den denna de dem det detta dig din ditt du dar efter ej eller en ett for fran ha hade han hans har henne hennes hon
    hur har i icke ingen inte ja jag kan kunde man med men mig min mitt mot mycket ni nu nar nagon nagot och om oss pa sa sig sin sina
    sitt skulle som till under upp ut var vad varfor vara varit vem vi vid vilka vilken vilket ar at over af er jeg ikke og hvad hvor
    hvem hvornar hun blev mig meg deg seg noe`,
  ru: `а без бы был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее если есть еще же за и из или им их
    к как какая какие какои какое когда кто ли мне мои моя мы на над нам нас не него нее нет ни них но о об он она они оно от перед по
    под после потому почему при про с свои себя так также такои там то тогда того тоже только ты у уже чего чем что чтобы эта эти это
    этот я`,
};

// Question words and particles, as the bigrams that the tokeniser makes of them.
const BIGRAMS = `什么 哪些 哪个 哪里 怎么 怎样 如何 为什 多少 几个 是否 是什 么时 时候 是谁 的是 了什 么样 哪一 这个 那个 我们 你们 他们 她们 以及 其中 何时
  请问 有没 没有 可以 进行 通过 分别 具体 です ます した する いつ どこ だれ なに から まで ある いる こと もの では には とは`;

/** Stop words by language, folded as the tokeniser folds them. */
export const STOP_WORDS: ReadonlyMap<StemmedLanguage, ReadonlySet<string>> = new Map(
  Object.entries(WORDS).flatMap(([language, words]) =>
    isStemmed(language) ? [[language, new Set(words.split(/\s+/))] as const] : [],
  ),
);

const STOP_BIGRAMS: ReadonlySet<string> = new Set(BIGRAMS.split(/\s+/));

/** Whether the word says nothing about what is asked, in `language` or, for scripts without spaces, at all. */
export function isStopWord(word: string, language: StemmedLanguage): boolean {
  return (STOP_WORDS.get(language)?.has(word) ?? false) || STOP_BIGRAMS.has(word);
}

function isStemmed(language: string): language is StemmedLanguage {
  return language in WORDS;
}
