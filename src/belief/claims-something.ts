import type { LanguageCode } from "../language/language.ts";
import { begins, loose } from "./table.ts";
import type { Table } from "./table.ts";

/** Whether a clause is of a kind that tells something lasting. */
export function isTelling(read: string, table: Table): boolean {
  const lean = read.replaceAll(table.light, "");
  return table.facts.some((pattern) => {
    if (pattern instanceof RegExp) return pattern.test(lean);
    const found = pattern[0].exec(lean);
    return found !== null && pattern[1].test(lean.slice(found.index + found[0].length));
  });
}

/** Whether a clause says something by itself: "the plumber we had" only names what is asked about, "I forgot" only asks. */
export function claimsSomething(read: string, table: Table): boolean {
  if (WONDERS[table.code].test(read)) return false;
  return VERBS[table.code].test(read) || isTelling(read, table);
}

type Rules = Readonly<Record<LanguageCode, RegExp>>;

// Whoever says that they forgot it asks for it.
const WONDERS: Rules = {
  en: begins(
    `(?:I|we) (?:(?:just|really|always|still|have) )*(?:forgot|forget|forgotten|keep forgetting|wonder|was wondering|am wondering|need to (?:know|check|ask)|want to know|(?:would|'d) like to know|cannot (?:remember|recall|think)|can't (?:remember|recall|think)|do not (?:know|remember|recall)|don't (?:know|remember|recall)|have (?:a|one|another) (?:quick )?question|am (?:asking|not sure|curious|trying to remember)|ask)`,
  ),
  de: begins(
    `(?:ich|wir) (?:hab|habe|haben) (?:\\p{L}+ )*vergessen|(?:ich|wir) (?:weiß|wissen|erinnere|frage|wüsste|möchte wissen|will wissen)|(?:ich hab|ich habe|hab|habe) (?:(?:mal|noch|da) )*(?:eine|ne|'ne) frage`,
  ),
  es: begins(
    `(?:yo )?(?:olvidé|me olvidé|he olvidado|se me olvidó|no (?:recuerdo|me acuerdo|sé)|me pregunto|quiero saber|quería saber|tengo una (?:pregunta|duda))`,
  ),
  fr: begins(
    `j'ai (?:oublié|une question)|je (?:ne )?(?:sais|me (?:souviens|rappelle)|me demande|voudrais savoir|veux savoir)`,
  ),
  pt: begins(
    `(?:eu )?(?:esqueci|me esqueci|não (?:me )?(?:lembro|sei)|queria saber|quero saber|tenho uma (?:pergunta|dúvida))`,
  ),
  it: begins(
    `(?:ho|mi sono) dimenticato|non (?:ricordo|mi ricordo|so)|mi chiedo|vorrei sapere|voglio sapere|ho una domanda`,
  ),
  nl: begins(
    `ik (?:ben|was) (?:\\p{L}+ )*vergeten|ik (?:weet|herinner|vraag me af|wil weten|zou willen weten)|ik heb een vraag`,
  ),
  zh: loose(`^我?(?:忘|不记得|想知道|想问|不知道|有个?问题)`),
  ja: loose(`忘れ(?:た|まし|ちゃ)|覚えてい?な|知りたい|聞きたい`),
  other: loose(`^$`),
};

// A verb of its own, which is not that of "who was here" or "that we had".
const VERBS: Rules = {
  en: loose(
    `^(?:I|we|he|she|they|it|you|there) \\p{L}|(?<!(?:^|[^\\p{L}])(?:who|that|which|where|when|whom|what|I|we|they|he|she|you|it) )(?<![\\p{L}])(?:is|are|was|were|has|have|had|will|does|did|can|cannot|could|needs|wants|costs|lives|works|moved|bought|sold|got|came|went|died|left|said|told|paid|broke|gave|took|made)(?![\\p{L}'])`,
  ),
  de: loose(
    `^(?:ich|wir|er|sie|es|du) \\p{L}|(?<![\\p{L}])(?:ist|sind|war|waren|hat|hatte|haben|hatten|wird|wurde|heißt|wohnt|arbeitet|kommt|geht|gehört|liegt|steht|fährt|kostet)(?![\\p{L}])`,
  ),
  es: loose(
    `^(?:yo|nosotros|él|ella) \\p{L}|(?<!(?:que|donde|quien) )(?<![\\p{L}])(?:es|son|era|fue|está|están|tiene|tienen|tengo|tenemos|soy|estoy|vive|vivo|vivimos|trabaja|trabajo|hay|va|voy|compré|compramos|hemos|he|ha|han)(?![\\p{L}])`,
  ),
  fr: loose(
    `^(?:je |j'|nous |on |il |elle |ils |elles )\\p{L}|(?<!(?:qui|que|où) )(?<![\\p{L}'])(?:est|sont|était|a|ont|avons|habite|travaille|s'appelle|va|coûte)(?![\\p{L}])`,
  ),
  pt: loose(
    `^(?:eu|nós|ele|ela|a gente) \\p{L}|(?<!(?:que|onde|quem) )(?<![\\p{L}])(?:é|são|era|foi|está|estão|tem|têm|tenho|temos|sou|estou|mora|moro|trabalha|trabalho|vai|vou|comprei|compramos)(?![\\p{L}])`,
  ),
  it: loose(
    `^(?:io|noi|lui|lei) \\p{L}|(?<!(?:che|dove|chi) )(?<![\\p{L}])(?:è|sono|era|ha|hanno|ho|abbiamo|vive|vivo|abita|abito|lavora|lavoro|va|vado|sta)(?![\\p{L}])`,
  ),
  nl: loose(
    `^(?:ik|wij|we|hij|zij|ze|het) \\p{L}|(?<!(?:die|dat|waar|wie) )(?<![\\p{L}])(?:is|zijn|was|waren|heeft|hebben|had|wordt|heet|woont|werkt|komt|gaat|kost)(?![\\p{L}])`,
  ),
  zh: loose(`是|有|在|住|叫|了|过|喜欢|要|会|去`),
  ja: loose(`(?:です|ます|ました|ません|た|だ|いる|ある|る|ない)(?:けど|けれど|が|ので|から|し)?$`),
  other: loose(`(?!)`),
};
