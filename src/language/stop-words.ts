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

/**
 * Words that tell no statement from another, in all languages at once: what is compared may be in two. They are fewer than
 * those of a question, as "other" or "before" make a difference between facts, and are not folded: "fur" is no "für".
 */
export const WORDS_OF_ANY_STATEMENT: ReadonlySet<string> = new Set(
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

const STOP_BIGRAMS: ReadonlySet<string> = new Set(BIGRAMS.split(/\s+/));

/** Whether the word says nothing about what is asked, in `language` or, for scripts without spaces, at all. */
export function isStopWord(word: string, language: StemmedLanguage): boolean {
  return (STOP_WORDS.get(language)?.has(word) ?? false) || STOP_BIGRAMS.has(word);
}

function isStemmed(language: string): language is StemmedLanguage {
  return language in WORDS;
}
