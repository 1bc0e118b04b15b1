import { begins, NEVER, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";

const VERBS = `woon|werk|heet|kom uit|studeer|leer|geef les|speel|rij|rijd|fiets|eet|drink|rook|hou van|houd van|haat|gebruik|bezit|neem|slik|weeg|verzamel|train|loop hard|zwem|zing|schilder|schrijf|spreek|kan niet|kan geen|mag geen|mag niet|draag|vermijd|vast|verdien|betaal|kook|bouw|verkoop|lust|ga elke|ga naar de|doe aan|heb|hebben|wonen|werken|eten|gebruiken|sport|lees|zorg voor|run|leid|ben dol op|verhuur|huur`;

/** How Dutch is read. */
export const DUTCH: Table = {
  code: "nl",
  fillers: begins(
    `dus|nou|hé|hey|hoi|hallo|goedemorgen|trouwens|oké|ok|en|maar|ja(?=,)|nee(?=,| ik)|eh|hm+|dank je|bedankt|sorry|eigenlijk|eerlijk gezegd|ook|dan|want|omdat|alsjeblieft|graag|goed(?=,)|oh|ach|helaas|gelukkig|even`,
  ),
  clauseStart: pattern(
    `^(?:en |maar |dus |want |nu |dan )*(?:ik|wij|we|mijn|m'n|onze|ons|hij|zij|ze|het|de|je|jij|ben|heb|woon|werk|heet|speel|eet|drink|kom|rij|getrouwd|gescheiden|verloofd|geen|niet|nu|wat|hoe|waar|wie|wanneer|waarom|welke|kun|kan|moet|mag|zal|is|misschien|als|heeft)(?![\\p{L}])`,
  ),
  joins: words(`en|maar|want|dus|omdat`),
  continues: begins(`hij|zij|ze|die|het`),
  asks: begins(
    `wie|wat|hoe|waar|wanneer|waarom|welke|wiens|of|(?:ben|heb|woon|werk|eet|drink|mag|moet|kan|zal|heet|speel|rij|ga|kom|hou) ik|(?:is|zijn|heet|heeft|was|woont|werkt|komt) (?:mijn|onze|ons|dat|de|het|hij|zij|er)|(?:kun|weet|kan|heb|ben|zou|wil|denk) je|hebben we|zijn we|is er`,
  ),
  hedges: words(
    `misschien|waarschijnlijk|wellicht|mogelijk|zou|zouden|als ik|als we|als het|ik denk|denk ik|ik geloof|volgens mij|overweeg|overwegen|twijfel|weet niet|niet zeker|droom|wou dat|wilde dat|ik wens|ik hoop|hopelijk|ooit|op een dag|stel dat|ik wil graag|zat te denken|nog niet`,
  ),
  doubts: words(
    `nog niets besloten|weet nog niet|wie weet|geen idee of|we zien wel|denk ik$|geloof ik$|niet waar dat|klopt niet dat`,
  ),
  reports: words(
    `zegt|zei|zeggen|denkt|vindt|beweert|gelooft|vertelde|vertelt|schreef|schrijft|blijkbaar|schijnbaar|naar verluidt|ik hoorde|is ervan overtuigd|noemt me|volgens (?:mijn|de|het|hem|haar|\\p{L}+)`,
  ),
  plays: words(
    `doe alsof|doen alsof|stel je voor|rollenspel|speel (?:een|de) rol|laten we zeggen|je bent nu|in mijn volgende leven`,
  ),
  handles: begins(
    `(?:alsjeblieft |kun je |kan je |wil je )*(?:vertaal|vat .{0,30}samen|herschrijf|schrijf (?:een|me|mij|het|de)|corrigeer|verbeter|verzin|hoe zeg je|maak (?:een|het) (?:gedicht|verhaal|zin)|ga verder met|lees)`,
  ),
  pastes: words(
    `(?:mail|e-mail|email|brief|bericht|appje|artikel|krant|post|reactie|songtekst|liedje|gedicht|citaat|advertentie|recensie|recept|tekst|chat)(?: (?:van|uit|dat|in)\\b.{0,40})?\\s*(?::|$)|doorgestuurd|in de krant|schreef:|schrijft:|stuurde me dit|mail van|brief van`,
  ),
  jokes: words(`grapje|geintje|grap|ironie|ja hoor,? en|tuurlijk,? en|ja vast|not|/s|alsof`),
  remembers: begins(
    `(?:alsjeblieft |kun je |wil je )*(?:onthoud(?: alsjeblieft| even)?(?: dat|:|,)?|vergeet niet(?: dat|:|,)?|noteer(?: even)?(?: dat|:|,)?|denk eraan(?: dat|:|,)?|schrijf op(?: dat|:|,)?|let op(?::|,)|ter info(?::|,)?|belangrijk(?::|,|!))`,
  ),
  forgets: begins(
    `(?:alsjeblieft |kun je |wil je )*(?:vergeet(?! niet)(?: dat| maar dat)?|verwijder|wis|schrap|onthoud niet)`,
  ),
  takesBack: words(
    `was (?:maar )?een (?:grapje|grap|geintje)|grapje|vergeet dat|klopt niet|laat maar zitten|helemaal niet|heb ik nooit gezegd|neem ik terug|^niet meer$`,
  ),
  corrects: begins(`nee|wacht|sorry|correctie|ik bedoel|ik bedoelde|oeps|foutje|eigenlijk|typfout|toch niet`),
  cancels: words(`afgezegd|geannuleerd|gaat niet door|afgelast|is niet gelukt`),
  swaps: [
    pattern(`([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)[,!.]* niet ([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)`),
    pattern(`niet (?:in |uit |bij )?([\\p{L}\\p{N}-]+),? maar (?:in |uit |bij )?(?<right>[\\p{L}\\p{N}-]+)`),
  ],
  confirms: begins(`ja|jazeker|precies|klopt|inderdaad|correct|juist|zo is het|dat klopt|yep`),
  ends: [
    { match: words(`uit elkaar|het is uit|gescheiden|scheiding is rond|mijn ex`), families: ["partner"] },
    { match: words(`ontslagen|ontslag genomen|werk niet meer|gestopt met werken|met pensioen`), families: ["work"] },
    { match: words(`eet weer vlees`), families: ["diet"] },
  ],
  negates: words(`niet|geen|nooit|zonder|gestopt|verkocht|vroeger|niemand`),
  fleeting: words(
    `moe|honger|dorst|klaar|kapot|benieuwd|zo terug|onderweg|zeker|blij|er klaar voor|ziek vandaag|even weg|een vraag|vraagje|een idee|geen zin|geen idee|terug|bezig|doodmoe|op weg|dank`,
  ),
  instructs: pattern(
    `^(?:alsjeblieft |graag |voortaan |vanaf nu )*(?:(?:altijd|nooit|alleen) .{0,30}(?:antwoorden?|schrijven?|gebruiken?|noemen?)|(?:antwoord|schrijf|praat|spreek|noem|gebruik|houd|hou) (?:me |mij |altijd |gewoon |het |je )*(?:nederlands|engels|in|kort|mij|met|zonder|nooit|altijd|antwoorden|geen)|geen (?:emoji'?s?|smileys|lijstjes|opsommingen|uitroeptekens|tabellen)|korte antwoorden|gebruik geen )`,
  ),
  light: NEVER,
  facts: [
    pattern(
      `(?:^|[ ])(?:ik|we|wij) (?:[\\p{L}\\d]+ ){0,2}?(?:${VERBS})(?![\\p{L}])(?: (?!(?:het|dat|je|jou|even|een vraag|een idee|geen idee|geen zin|zo|er|honger|dorst|nu tijd)(?![\\p{L}]))|$)`,
    ),
    pattern(`^(?:${VERBS})(?![\\p{L}]) (?!(?:het|dat|je|even|maar|eens|ik|we)(?![\\p{L}]))(?:\\p{L}|\\d)`),
    pattern(
      `(?<![\\p{L}])(?:woon|werk|heb|speel|eet|drink|neem|ben|hebben|wonen) (?:ik|we)(?![\\p{L}]) (?!(?:het|dat|je|even|er|zo|moe|klaar)(?![\\p{L}]))\\p{L}`,
    ),
    pattern(
      `(?:^|[ ])(?:ik )?ben (?!(?:het|er|zo|nu|even|al|weer|benieuwd|blij|moe|klaar|kapot|niet zeker|ook|ermee|bezig|onderweg|terug|thuis|te)(?![\\p{L}]))(?:niet |al |ook |sinds .{2,20} )?(?:een |\\p{L}|\\d)`,
    ),
    pattern(
      `^(?:mijn|m'n|onze|ons) (?!(?:god|vraag|fout|probleem|mening|idee|hoofd|dag)(?![\\p{L}]))(?:[\\p{L}\\d-]+ ){1,4}?(?:is|zijn|heet|heten|heeft|hebben|woont|wonen|werkt|leeft|komt|gaat|studeert|speelt|houdt|eet|drinkt|was|wordt|trouwt|begint)(?![\\p{L}]) (?!(?:kapot|weg|leeg|moe|ziek|stuk)(?:$|[,.]))`,
    ),
    pattern(
      `^\\p{Lu}\\p{L}+ (?:is|heeft|heet|woont|komt|werkt|gaat|eet|mag)(?![\\p{L}]) .*(?:\\p{Lu}\\p{L}+|\\d|allergisch|zwanger|vegetari|vegan)`,
    ),
    pattern(
      `^(?:de|het) (?:[\\p{L}\\d-]+ ){1,4}?(?:is|zijn|komt|begint|ligt|kost|heet)(?![\\p{L}]) .*(?:\\d|\\p{Lu}|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december)`,
    ),
    pattern(`^(?:twee|drie|vier|vijf|\\d+) (?:kinderen|zonen|dochters|katten|honden|broers|zussen)(?![\\p{L}])`),
    pattern(`^(?:getrouwd|verloofd|gescheiden|allergisch voor|vegetariër|veganist|zzp'er)(?![\\p{L}])`),
    pattern(
      `(?<![\\p{L}])(?:ik|we|wij) (?:ben|zijn|heb|hebben) .{0,40}(?:verhuisd|getrouwd|geboren|opgegroeid|gestopt|begonnen|gekocht|verkocht|gekregen)(?![\\p{L}])`,
    ),
    pattern(`^(?:tot|sinds|vanaf|in) .{2,20} (?:woonde|woon|werkte|werk|heb) ik(?![\\p{L}])`),
  ],
  labels: begins(
    `(?:mijn |onze |nieuwe? )*(?:naam|voornaam|achternaam|beroep|woonplaats|adres|telefoon|telefoonnummer|mobiel|nummer|verjaardag|geboortedatum|leeftijd|allergieën|allergie|medicijnen|huisdier(?:en)?|kinderen|gezin|familie|hobby'?s?|schoenmaat|maat|lengte|gewicht|bloedgroep|kenteken|huisarts|tandarts|favoriete \\p{L}+|koffie|budget|over mij|e-mail|team)`,
  ),
  families: [
    {
      family: "home",
      match: pattern(`(?:^|[ ])(?:woon|wonen)(?: ik| we)? (?:.{0,30} )?(?:in|bij|op|aan)(?![\\p{L}])`),
    },
    { family: "name", match: pattern(`^(?:ik heet|mijn naam is|ik ben \\p{Lu}\\p{L}+$)`) },
    { family: "age", match: pattern(`^(?:ik )?ben \\d{1,3}(?: jaar)?$`) },
    { family: "birthday", match: pattern(`^mijn verjaardag`) },
    { family: "work", match: pattern(`(?:^|[ ])werk(?: ik)? (?:.{0,20} )?(?:bij|als|in|voor)(?![\\p{L}])`) },
    {
      family: "partner",
      match: pattern(`^(?:mijn (?:vrouw|man|vriendin|vriend|partner|verloofde)|getrouwd met)(?![\\p{L}])`),
    },
    { family: "diet", match: pattern(`(?:vegetari|veganist)`) },
  ],
  moved: [
    pattern(`^(?<before>.*?)(?:ik ben|we zijn|wij zijn|ben ik|zijn we) (?<time>.*?)(?:naar (?<place>.+?) verhuisd)$`),
  ],
  home: "woon in {place}",
  since: "sinds",
  company: pattern(`^(?<home>.*(?:woon|wonen)(?: ik| we)? .*in \\p{Lu}[\\p{L}-]+),? (?<rest>(?:samen )?met .+)$`),
};
