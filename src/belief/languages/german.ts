import { begins, loose, NEVER, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";

const KIN = `(?:frau|mann|freund|freundin|partner|partnerin|verlobte[r]?|sohn|tochter|kinder|kind|bruder|schwester|geschwister|mutter|mama|mutti|vater|papa|eltern|oma|opa|großmutter|großvater|enkel|enkelin|tante|onkel|cousin|cousine|neffe|nichte|schwiegermutter|schwiegervater|schwiegereltern|chef|chefin|kollege|kollegin|nachbar|nachbarin|vermieter|vermieterin|mitbewohner|mitbewohnerin|ex|hund|hündin|katze|kater|hase|kaninchen|pferd|vogel|wellensittich|hamster|haustier|hausarzt|hausärztin|arzt|ärztin|zahnarzt|zahnärztin|therapeut|therapeutin|steuerberater|steuerberaterin|anwalt|anwältin|lehrer|lehrerin|azubi|trainer|trainerin|zwillinge|baby|töchter|söhne|brüder|schwestern)`;
const VERBS = `wohne|lebe|arbeite|arbeit|heiße|heisse|komme aus|komm aus|stamme|studiere|studier|lerne|unterrichte|leite|spiele|spiel|fahre|fahr|esse|ess|trinke|trink|rauche|rauch|mag|liebe|lieb|hasse|hass|bevorzuge|nutze|nutz|benutze|benutz|verwende|besitze|nehme|nehm|vertrage|vertrag|wiege|wieg|sammle|züchte|trainiere|laufe|lauf|schwimme|singe|sing|male|schreibe an|pendle|pendel|spreche|sprech|kann (?:leider )?kein|kann (?:leider )?nicht|kann nur|darf kein|darf nicht|gehe|geh|mache|mach|trage|brauche|meide|vermeide|faste|betreue|pflege|verdiene|zahle|zahl|kaufe|kauf|baue|koche|verkaufe|habe|hab|haben|wohnen|leben|fahren|essen|heißen|arbeiten|nutzen|verwenden|setzen auf`;
const DAY = `\\d|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf`;

/** How German is read. */
export const GERMAN: Table = {
  code: "de",
  fillers: begins(
    `also|ach(?: ja)?|naja|na ja|servus|hallo|hi|moin|hey|guten (?:morgen|tag|abend)|übrigens|ok(?:ay)?|und|aber|so(?=,)|ja(?=,)|nein(?=,)|nee(?=,)|ne(?=,)|nö|äh|ähm|hm+|danke|sorry|tut mir leid|eigentlich|ehrlich gesagt|außerdem|dann|denn|weil|bitte|zur info|fyi|mal|gut(?=,)|super(?=,)|oh|achso|noch was|nur so|wie gesagt|leider|zum glück`,
  ),
  clauseStart: pattern(
    `^(?:und |aber |denn |da |dann |jetzt )*(?:ich|wir|mein|meine|meinen|unser|unsere|er|sie|es|der|die|das|du|bin|hab|habe|haben|wohne|wohnt|lebe|arbeite|komme|heiße|spiele|fahre|esse|trinke|nehme|mag|liebe|hasse|verheiratet|verlobt|geschieden|ledig|selbständig|selbstständig|wieg|wiege|ein hund|ein haus|eine katze|kein|keine|nicht|jetzt|was|wie|wo|wer|wann|warum|ob|welche[rsn]?|kannst|soll|darf|kann|ist|vielleicht|wenn|sagt|meint|zwei kinder|drei kinder)(?![\\p{L}])`,
  ),
  joins: words(`und|aber|denn|weil|doch|sondern`),
  continues: begins(`er|sie|der|die|das`),
  asks: begins(
    `wer|was|wie|wo|wann|warum|wieso|weshalb|wohin|woher|welche[rsnm]?|wessen|wem|wen|ob|(?:bin|hab|habe|wohne|mag|esse|trinke|arbeite|heiße|soll|kann|darf|muss|spiele|fahre|nehme|brauche|werde|war|hatte|komme|lebe|vertrage) ich|(?:ist|sind|heißt|hat|war|wohnt|arbeitet|kommt|fängt|darf|mag) (?:mein|meine|unser|unsere|das|der|die|es|er|sie)|(?:kannst|weißt|könntest|hast|bist|würdest|magst|glaubst) du|haben wir|sind wir|gibt es|gibt's`,
  ),
  hedges: words(
    `vielleicht|wahrscheinlich|vermutlich|eventuell|möglicherweise|womöglich|könnte|könnten|würde|würden|würd|wär|wäre|wären|hätte|hätt|hätten|wenn|falls|ich glaube|glaub ich|glaube ich|ich denke|denke ich|ich schätze|schätze ich|überlege|überlegen|überleg|weiß nicht|nicht sicher|unsicher|am liebsten|träume|wünschte|wünsche mir|möchte|möchten|mal sehen|irgendwann|eines tages|hoffentlich|ich hoffe|angenommen|sollte|sollten|stell dir vor`,
  ),
  doubts: words(
    `mal sehen|mal schauen|nichts entschieden|noch nicht sicher|wer weiß|keine ahnung ob|steht noch nicht fest|glaub ich$|glaube ich$|es stimmt nicht,? dass|stimmt nicht,? dass`,
  ),
  reports: words(
    `sagt|sagte|meint|meinte|glaubt|behauptet|denkt|findet|erzählt|erzählte|hat gesagt|haben gesagt|sagen|meinen|angeblich|laut|soll angeblich|schreibt|schrieb|hat geschrieben|ist überzeugt|nennt mich|gelesen`,
  ),
  plays: words(
    `tu so,? als|tun wir so|stell dir vor|rollenspiel|spiel(?:e)? (?:einen|eine|den|die) (?:rolle|figur)|angenommen|nehmen wir an|sagen wir mal|du bist jetzt|im nächsten leben`,
  ),
  handles: begins(
    `(?:bitte |kannst du |könntest du |mal )*(?:übersetz(?:e|en)?|fass(?:e)? .{0,30}zusammen|formulier(?:e|en)?|schreib(?:e)? (?:mir |ein|eine|einen|das|den|die)|korrigier(?:e|en)?|verbesser(?:e|en)?|dichte|erfinde|wie sagt man|wie heißt .{1,60} auf|überarbeite|setz(?:e)? .{0,20}fort|vervollständige|lies)`,
  ),
  pastes: words(
    `(?:mail|e-mail|email|brief|nachricht|sms|artikel|zeitung|post|kommentar|liedtext|songtext|gedicht|zitat|protokoll|anzeige|bewertung|rezept|text|chat|whatsapp)(?: (?:von|vom|aus|der|des|in)\\b.{0,40})?\\s*(?::|$|,)|(?:mail|brief|nachricht) (?:von|vom)|weitergeleitet|stand (?:heute )?in der|in der zeitung|schrieb:|schreibt:|schrieb mir|hat geschrieben|hab gelesen|gelesen:|schau mal|hier ist die|hier der`,
  ),
  jokes: words(
    `scherz|spaß|spass|nur spaß|war nur spaß|kleiner scherz|haha+ ja|ironie|ja genau,? und|ja klar,? und|na klar,? und|ja sicher,? und|/s|witzig|als ob`,
  ),
  remembers: begins(
    `(?:bitte |kannst du |und )*(?:merk(?:e)? dir(?: bitte| mal)?(?:,? dass|:|,)?|denk(?:e)?(?: bitte)? (?:dran|daran)(?:,? dass|:|,)?|vergiss (?:bitte )?nicht(?:,? dass|:|,)?|notier(?:e)?(?: dir| mal| bitte)*(?:,? dass|:|,)?|schreib(?:e)? (?:dir )?auf(?:,? dass|:|,)?|behalte(?: bitte)?(?: im kopf)?(?:,? dass|:|,)?|nicht vergessen(?::|,)|wichtig(?::|,|!)|zur erinnerung(?::|,)?|fürs protokoll(?::|,)?)`,
  ),
  forgets: begins(
    `(?:bitte |kannst du |jetzt )*(?:vergiss(?! (?:bitte )?nicht)(?: bitte)?(?:,? dass| das)?|lösch(?:e)?|streich(?:e)?|entfern(?:e)?|merk(?:e)? dir nicht)`,
  ),
  takesBack: words(
    `war (?:nur )?(?:ein )?(?:scherz|spaß|spass|witz)|nur spaß|quatsch|vergiss das|streich das|stimmt (?:doch )?nicht|das war falsch|nehm(?:e)? ich zurück|hab ich nie gesagt|^(?:nein,? )?nicht mehr$|^(?:doch )?nicht$`,
  ),
  corrects: begins(
    `nein|nee|ne|ach(?: mist| nein| quatsch)?|quatsch|moment|sorry|entschuldigung|korrektur|ich meine|ich meinte|falsch|doch nicht|genauer|eigentlich|halt|ups|verschrieben|vertippt`,
  ),
  cancels: words(`abgesagt|fällt (?:flach|aus)|ist ausgefallen|klappt (?:doch )?nicht|wird nichts|storniert`),
  swaps: [
    pattern(`([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)[,!.]* nicht ([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)`),
    pattern(`nicht (?:in |aus |bei )?([\\p{L}\\p{N}-]+), sondern (?:in |aus |bei )?(?<right>[\\p{L}\\p{N}-]+)`),
  ],
  confirms: begins(`ja|jawohl|genau|stimmt|richtig|korrekt|exakt|passt|jep|jo|so ist es`),
  ends: [
    {
      match: words(`getrennt|haben uns getrennt|schluss gemacht|geschieden|scheidung ist durch|meine ex|mein ex`),
      families: ["partner"],
    },
    {
      match: words(`gekündigt|entlassen|rausgeworfen|gefeuert|nicht mehr bei|hab(?:e)? aufgehört bei|in rente`),
      families: ["work"],
    },
    { match: words(`wieder fleisch|esse wieder`), families: ["diet"] },
  ],
  negates: words(
    `nicht|kein|keine|keinen|keinem|keiner|nie|niemals|nimmer|ohne|weder|aufgehört|verkauft|abgesagt|früher`,
  ),
  fleeting: words(
    `müde|hungrig|bin fertig|fertig$|kaputt|gespannt|gleich|unterwegs|sicher|froh|bereit|satt|krank heute|durch|genervt|kurz weg|gerade dabei|bin da|bin wieder|hunger|durst|lust|keine ahnung|eine frage|ne frage|eine idee|kopfschmerzen|stress|feierabend|danke dir|liebe es|weiß ich|stolz|zurück`,
  ),
  instructs: pattern(
    `^(?:bitte |ab jetzt |ab sofort |von nun an |künftig )*(?:(?:immer|nie|niemals|nur) .{0,30}(?:antworten?|schreiben?|rechnen|verwenden?|nennen?|geben|benutzen?|sagen?|vorschlagen|in [\\p{L}]+$)|(?:antworte|schreib|schreibe|sprich|rede|rechne|nenn|nenne|duz|duze|siez|sieze|verwende|benutze|halte?|fass) (?:mir |mich |einfach |bitte |immer |nur |dich )*(?:deutsch|englisch|auf|in|kurz|knapp|mich|mit|ohne|nie|immer|förmlich|per)|keine (?:emojis?|smileys?|floskeln|listen|tabellen|ausrufezeichen|anglizismen)|kurze antworten|schreib einfach deutsch)`,
  ),
  light: NEVER,
  facts: [
    loose(
      `(?:^|[ ])(?:ich|wir) (?:[\\p{L}\\d]+ ){0,3}?(?:${VERBS})(?![\\p{L}]) (?!(?:es|das|dich|dir|mich|mir|da|mal|kurz|gleich|grad|gerade|eine frage|ne frage|eine idee|keine ahnung|dann|jetzt weiter|schon verstanden)(?![\\p{L}]))`,
    ),
    pattern(
      `^(?:${VERBS})(?![\\p{L}]) (?!(?:es|das|dich|dir|du|mal|kurz|gleich|mir|ich (?:es|das|mal|dir|mich))(?![\\p{L}]))(?:\\p{L}|\\d)`,
    ),
    pattern(
      `(?<![\\p{L}])(?:wohne|lebe|arbeite|habe|hab|mache|mach|spiele|esse|trinke|fahre|nehme|lerne|studiere|kaufe|kauf|gehe|bin|haben|fahren) (?:ich|wir)(?![\\p{L}]) (?!(?:es|das|mal|dir|dich|gleich|so|da|müde|fertig)(?![\\p{L}]))\\p{L}`,
    ),
    pattern(
      `(?:^|[ ])(?:ich )?bin (?:der|die|ein|eine|seit|auch|jetzt|aus|in|bei|beim|im|am|von beruf|gelernte[rs]?|gebürtige[rs]?|\\d|\\p{Lu}|nicht mehr|kein|keine|allergisch|vegetarisch|vegan|schwanger|verheiratet|verlobt|ledig|single|geschieden|verwitwet|selbständig|selbstständig|arbeitslos|pensioniert|rentner|linkshänder|gehörlos|taub|blind|farbenblind|schwerhörig|kurzsichtig|nachtaktiv|laktoseintolerant|gegen .+ allergisch|nach .+ gezogen|geboren|aufgewachsen|evangelisch|katholisch|muslimisch|jüdisch|atheist|nüchtern)(?![\\p{Ll}] )`,
    ),
    pattern(
      `(?:ich|wir) (?:bin|sind) (?:.{0,40} )?(?:gezogen|geboren|aufgewachsen|umgezogen|verheiratet|geschieden|allergisch)(?![\\p{L}])`,
    ),
    loose(
      `^(?:mein|meine|meiner|meinen|unser|unsere|unseren) (?!(?:gott|frage|fehler|problem|meinung|idee|kopf|tag)(?![\\p{L}]))(?:[\\p{L}\\d-]+ ){1,4}?(?:ist|sind|heißt|heißen|hat|haben|wohnt|wohnen|arbeitet|lebt|kommt|geht|studiert|spielt|macht|mag|isst|trinkt|war|wird|zieht|heiratet|hatte|fängt|liegt|läuft|beginnt|endet)(?![\\p{L}]) (?!(?:kaputt|weg|leer|müde|krank|da|doof|blöd|voll)(?:$|[,.]))`,
    ),
    pattern(`^(?:meine?n? |unsere? )?[\\p{L}]+ [\\p{L}]+ (?:in|aus|bei) \\p{Lu}[\\p{L}]+$`),
    loose(`^(?:die |der |das )?${KIN} (?:\\p{L}+ )?(?:ist|heißt|wohnt|hat|arbeitet|kommt|zieht)(?![\\p{L}])`),
    pattern(
      `^\\p{Lu}\\p{L}+s? (?:ist|hat|heißt|wohnt|kommt|fängt|arbeitet|zieht|mag|isst|darf|geht|studiert|heiratet)(?![\\p{L}]) .*(?:\\p{Lu}\\p{L}+|${DAY}|allergisch|vegan|vegetarisch|schwanger)`,
    ),
    pattern(`^\\p{Lu}\\p{L}+s \\p{Lu}\\p{L}+ (?:ist|heißt|war|hat)(?![\\p{L}])`),
    pattern(
      `^(?:der|die|das|den|dem|unser|unsere) (?:[\\p{L}\\d-]+ ){1,4}?(?:ist|sind|kommt|beginnt|findet|liegt|läuft|endet|kostet|heißt)(?![\\p{L}]) .*(?:${DAY}|\\p{Lu})`,
    ),
    loose(`^\\p{L}+ (?:ist|liegt|kostet|kommt|bei .+ verschoben auf|gewechselt|verschoben) .*(?:${DAY})`),
    loose(
      `^(?:zwei|drei|vier|fünf|\\d+) (?:kinder|söhne|töchter|katzen|hunde|brüder|schwestern|jungs|mädchen|pferde|hühner)(?![\\p{L}])`,
    ),
    loose(`^(?:ein|eine|einen) (?:hund|katze|haus|wohnung|kater|garten|auto|tochter|sohn|hase)(?![\\p{L}])`),
    loose(
      `^(?:jetzt |nun |seit .{2,12} )?(?:verheiratet|verlobt|geschieden|ledig|selbständig|selbstständig|allergisch gegen|vegetarierin?|veganerin?)(?![\\p{L}])`,
    ),
    loose(`(?<![\\p{L}])(?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)(?![\\p{L}])`),
    loose(
      `^(?:haben?|hab) (?:den|die|das|einen|eine|ein|ne|nen|kein|keine|keinen|seit)(?![\\p{L}]) (?!(?:frage|idee|lust|ahnung|hunger)(?![\\p{L}]))`,
    ),
  ],
  labels: begins(
    `(?:meine? |unsere? |neue )*(?:name|vorname|nachname|beruf|wohnort|adresse|telefon|telefonnummer|handy|handynummer|nummer|neue nummer|geburtstag|geburtsdatum|alter|allergien?|medikamente|haustiere?|kinder|familie|hobbys?|hobbies|schuhgröße|größe|gewicht|kleidergröße|blutgruppe|zählerstand(?: \\p{L}+)?|kennzeichen|hausarzt|zahnarzt|fußball|verein|lieblings\\p{L}+|kaffee|budget|stundensatz|zu mir|über mich|steuernummer|iban|kundennummer|e-mail|team|essen)`,
  ),
  families: [
    {
      family: "home",
      match: pattern(
        `(?:^|[ ])(?:(?:wohne|lebe)(?: ich)?|wir (?:wohnen|leben)|(?:wohnen|leben) wir) (?:.{0,30} )?(?:in|bei|am|auf)(?![\\p{L}])`,
      ),
    },
    { family: "name", match: pattern(`^(?:[iI]ch heiße|[mM]ein Name ist|ich bin (?:der|die) \\p{Lu})`) },
    { family: "age", match: pattern(`^(?:ich )?bin \\d{1,3}(?: jahre alt)?$`) },
    { family: "birthday", match: loose(`^mein geburtstag`) },
    {
      family: "work",
      match: pattern(`(?:^|[ ])(?:arbeite|arbeiten)(?: ich)? (?:.{0,20} )?(?:bei|beim|als|in|für|am)(?![\\p{L}])`),
    },
    {
      family: "partner",
      match: loose(
        `^(?:meine? (?:frau|mann|freundin|freund|partnerin?|verlobter?)|verheiratet mit|verlobt mit)(?![\\p{L}])`,
      ),
    },
    { family: "diet", match: loose(`(?:vegetarier|veganer|vegetarisch|vegan)`) },
  ],
  moved: [
    pattern(`^(?<before>.*?)(?:ich |wir )?(?:bin|sind) (?:ich |wir )?(?<time>.*?)nach (?<place>.+?) (?:um)?gezogen$`),
  ],
  home: "wohne in {place}",
  since: "seit",
  company: pattern(
    `^(?<home>.*(?:wohne|wohnen|lebe|leben)(?: ich| wir)? .*in \\p{Lu}[\\p{L}-]+),? (?<rest>(?:zusammen )?mit .+)$`,
  ),
};
