import { begins, loose, NEVER, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";

const VERBS = `vivo|viviamo|abito|abitiamo|risiedo|lavoro|lavoriamo|mi chiamo|studio|imparo|insegno|suono|gioco|guido|mangio|mangiamo|bevo|fumo|odio|detesto|adoro|amo|preferisco|uso|usiamo|prendo|peso|colleziono|mi alleno|corro|nuoto|canto|dipingo|scrivo|parlo|faccio|vado|porto|evito|digiuno|guadagno|pago|cucino|vendo|ho|abbiamo|curo|allevo|sopporto|digerisco|posso mangiare|posso bere|vengo da|soffro|dirigo|gestisco|possiedo|leggo|tifo`;

/** How Italian is read. */
export const ITALIAN: Table = {
  code: "it",
  fillers: begins(
    `allora|beh|be'|ciao|buongiorno|buonasera|ehi|senti|comunque|a proposito|ok|e|ma|però|sì(?=,)|no(?=,)|eh|grazie|scusa|scusami|in realtà|veramente|inoltre|poi|perché|per favore|ah|oh|guarda|tra l'altro|dunque|infatti`,
  ),
  clauseStart: pattern(
    `^(?:e |ma |però |perché |che |ora |adesso )*(?:io|noi|mio|mia|miei|mie|nostro|nostra|nostri|mi|sono|vivo|abito|lavoro|ho|insegno|faccio|non|lui|lei|il|lo|la|i|gli|le|si|siamo|abbiamo|studio|mangio|bevo|odio|adoro|preferisco|prendo|parlo|che|chi|come|quando|dove|quale|quanto|posso|puoi|devo|forse|se|sposat[oa]|divorziat[oa]|single|dice|peso|un figlio|una figlia)(?![\\p{L}])`,
  ),
  joins: words(`e|ma|però|perché|anche se`),
  continues: begins(`lui|lei|loro|si chiama|si chiamano`),
  asks: begins(
    `chi|che|cosa|come|quando|dove|quale|quali|quanto|quanta|quanti|quante|perché|posso|puoi|potresti|sai|ti ricordi|devo|dovrei|c'è|ci sono|credi|mi puoi|di chi|con chi|in che|a che|da quando|mi consigli|ho (?:un appuntamento|qualcosa)(?= .*\\?$)`,
  ),
  hedges: words(
    `forse|magari|probabilmente|possibilmente|può darsi|se (?:io|fossi|avessi|potessi|tutto|vinco|vado|mi)|vorrei|vorremmo|mi piacerebbe|penso che|penso di|credo|credo che|suppongo|immagino|direi|non so se|non sono sicur[oa]|sto pensando|sogno|un giorno|spero|speriamo|potrei|potremmo|sarei|sarebbe|avrei|vivrei|farei|\\p{L}+rei(?= )|fossi|avessi|ammettiamo|mettiamo che`,
  ),
  doubts: words(`vedremo|niente di deciso|chissà|chi lo sa|non so$|credo$|non è vero che|nei miei sogni`),
  reports: words(
    `dice|dicono|ha detto|diceva|disse|crede che|pensa che|pensano|secondo|giura|afferma|sostiene|racconta|mi ha raccontato|ha scritto|scrive che|a quanto pare|pare che|sembra che|ho sentito|è convint[oa]|mi ha detto`,
  ),
  plays: words(
    `immagina(?:ti)? (?:che|di)|facciamo finta|fai finta|gioco di ruolo|supponi|supponiamo|diciamo che|mettiamo che|fingi|fai come se|nella mia prossima vita|ora sei`,
  ),
  handles: begins(
    `(?:per favore |puoi |potresti |mi )*(?:traduci|tradurre|riassumi|riscrivi|correggi|scrivi(?:mi)? (?:un|una|mi|il|la)|inventa|come si dice|continua|migliora|completa|leggi|componi)`,
  ),
  pastes: words(
    `(?:mail|email|lettera|messaggio|articolo|giornale|post|commento|testo|canzone|poesia|strofa|citazione|trascrizione|annuncio|recensione|ricetta|chat)(?: (?:di|del|della|da|dal|che|nel)\\b.{0,40})?\\s*(?::|$|\\?)|inoltrat[oa]|sul giornale|ha scritto:|mi ha mandato questo|guarda questo|ecco (?:il|la)`,
  ),
  jokes: words(
    `scherzo|scherzavo|sto scherzando|è uno scherzo|battuta|ironia|sì certo|certo,? e io|come no|eh sì,? e|/s|come se`,
  ),
  remembers: begins(
    `(?:per favore |puoi |senti )*(?:ricorda(?:ti)?(?: bene)?(?: che|:|,)?|non dimenticare(?: che|:|,)?|non scordare(?: che|:|,)?|segna(?:ti)?(?: che|:|,)?|annota(?: che|:|,)?|prendi nota(?: che|:|,)?|tieni (?:presente|a mente|conto)(?: che|:|,)?|appunta(?: che|:|,)?|importante(?::|,|!)|sappi(?: che|:|,)?|nota(?::))`,
  ),
  forgets: begins(
    `(?:per favore |puoi |senti )*(?:dimentica(?:ti)?(?: che| di| quello)?|cancella|elimina|togli|ignora|scordati)`,
  ),
  takesBack: words(
    `era uno scherzo|scherzavo|lascia (?:perdere|stare)|dimentica|non è vero|lo ritiro|mi sono sbagliat[oa]|non l'ho mai detto|^non più$`,
  ),
  corrects: begins(
    `no|scusa|scusami|aspetta|anzi|voglio dire|volevo dire|correzione|in realtà|mi sono sbagliat[oa]|errore|ops|cioè|alla fine`,
  ),
  cancels: words(`annullat[oa]|hanno annullato|è saltat[oa]|salta tutto|non si fa più`),
  swaps: [
    pattern(`([\\p{L}\\p{N}-]+)[,!.]* non ([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)`),
    pattern(`non (?:a |di |in )?([\\p{L}\\p{N}-]+),? (?:ma|bensì) (?:a |di |in )?(?<right>[\\p{L}\\p{N}-]+)`),
  ],
  confirms: begins(`sì|si|esatto|esattamente|giusto|corretto|certo|proprio così|infatti|è così|appunto`),
  ends: [
    {
      match: words(
        `ci siamo lasciati|ci siamo separati|ho divorziato|sono divorziat[oa]|mi ha lasciat[oa]|il mio ex|la mia ex`,
      ),
      families: ["partner"],
    },
    {
      match: words(
        `mi sono licenziat[oa]|mi hanno licenziat[oa]|ho lasciato il lavoro|ho dato le dimissioni|non lavoro più|sono andat[oa] in pensione`,
      ),
      families: ["work"],
    },
    { match: words(`mangio di nuovo carne|non sono più vegan[oa]|non sono più vegetarian[oa]`), families: ["diet"] },
  ],
  negates: words(`non|mai|senza|né|neanche|nemmeno|smesso|venduto|prima|più|nessun[oa]?`),
  fleeting: words(
    `stanc[oa]|mort[oa]|fame|sete|sonno|pront[oa]|sicur[oa]|content[oa]|d'accord[o]|torno subito|qui|occupat[oa]|una domanda|un dubbio|un'idea|idea|grazie|pers[oa]|caldo|freddo|fretta|voglia|in ritardo|un sacco|tesoro|confus[oa]|felice|dispiace|di corsa`,
  ),
  instructs: pattern(
    `^(?:per favore |d'ora in poi |da adesso |sempre )*(?:(?:sempre|mai|solo) .{0,30}(?:rispondi|scrivi|usa|parla|chiamami)|(?:rispondi|rispondimi|scrivimi|parlami|dammi del|chiamami|usa|evita) ?(?:sempre |solo |mi )*(?:in|con|senza|di|breve|tu|lei|\\p{Lu}|emoji|\\p{L}+)|niente (?:emoji|elenchi|tabelle)|senza emoji|risposte brevi|non (?:usare|chiamarmi|iniziare|mettere|scrivere))`,
  ),
  light: NEVER,
  facts: [
    loose(
      `(?:^|[ ])(?:io )?(?:non |sempre |anche |già |ora |adesso |mai )*(?:${VERBS})(?![\\p{L}])(?: (?!(?:una domanda|un dubbio|un'idea|idea|fame|sete|sonno|fretta|voglia|ragione|capito|visto|detto|pensato|fatto|bisogno|così|bene|questo|quello|qui|freddo|caldo)(?![\\p{L}]))|$)`,
    ),
    loose(
      `(?:^|[ ])(?:non )?(?:mi|ci) (?:piace|piacciono|fa schifo|fanno schifo|interessa|interessano)(?![\\p{L}]) (?!(?:così|questo|quello|di più|un sacco|come|molto così)(?![\\p{L}]))`,
    ),
    loose(
      `(?:^|[ ])(?:io )?(?:non )?(?:sono|siamo)(?: anche| sempre| più)? (?:un |una |uno |un'|di |nat[oa]|cresciut[oa]|alt[oa]|allergic[oa]|intollerante|vegan[oa]|vegetarian[oa]|celiac[oa]|diabetic[oa]|sposat[oa]|divorziat[oa]|single|fidanzat[oa]|vedov[oa]|incinta|in pensione|pensionat[oa]|disoccupat[oa]|mancin[oa]|destrors[oa]|sord[oa]|daltonic[oa]|miope|astemi[oa]|italian[oa]|tedesc[oa]|frances[ei]|spagnol[oa]|ingles[ei]|\\d|il |la |l'|\\p{L}+(?:ista|iere|iera|tore|trice|aio|aia|ologo|ologa|ante|ente|ano|ana|ico|ica|aro|ara|essa)(?:$|[ ,.]))`,
    ),
    loose(
      `^(?:il |la |i |le )?(?:mio|mia|miei|mie|nostro|nostra|nostri|nostre) (?!(?:dio|domanda|colpa|problema|opinione|idea|testa)(?![\\p{L}]))(?:[\\p{L}\\d-]+ ){1,4}?(?:è|sono|si chiama|si chiamano|ha|hanno|vive|vivono|abita|abitano|lavora|lavorano|sta|studia|viene|va|gioca|mangia|beve|odia|era|è morto|è morta|inizia|compie|parla|scade|si sposa)(?![\\p{L}]) (?!(?:rott[oa]|mal|stanc[oa])(?:$|[,. ]))`,
    ),
    loose(
      `^(?:il|la|lo|l'|i|le) ?[\\p{L}]+ (?:di|del|della) (?:mi[ao]|miei|mie|nostr[oa]) [\\p{L}]+ (?:è|si chiama|vive|abita|lavora|ha)(?![\\p{L}])`,
    ),
    pattern(
      `^(?:[iI]l|[lL]a|[lL]o|[iI]|[gG]li|[lL]e|[lL]') ?(?:[\\p{L}\\d-]+ ){1,4}?(?:è|sono|si chiama|si chiamano|inizia|costa|viene|sta|cade)(?![\\p{L}]) .*(?:\\d|\\p{Lu}|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)`,
    ),
    pattern(
      `^\\p{Lu}\\p{L}+ (?:è|ha|vive|abita|lavora|si chiama|viene|odia)(?![\\p{L}]) .*(?:\\p{Lu}\\p{L}+|\\d|allergic|vegan|vegetarian|incinta|mio |mia )`,
    ),
    loose(`^(?:il|la|ogni|tutti i|di) (?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)(?![\\p{L}])`),
    loose(`^(?:due|tre|quattro|cinque|\\d+) (?:figli|figlie|gatti|cani|fratelli|sorelle|bambini)(?![\\p{L}])`),
    loose(
      `(?:^|[ ])(?:ho|abbiamo) (?:smesso|venduto|comprato|adottato|iniziato|cambiato|deciso|avuto|compiuto|studiato|lavorato)(?![\\p{L}])`,
    ),
    loose(`(?:^|[ ])(?:mi trasferisco|ci trasferiamo|mi sposo|ci sposiamo|parto|partiamo)(?![\\p{L}])`),
    loose(`^(?:allergic[oa] a|sposat[oa] con|vegetarian[oa]|vegan[oa]|celiac[oa])(?![\\p{L}])`),
  ],
  labels: begins(
    `(?:il mio |la mia |i miei |mio |mia |nuov[oa] )*(?:nome|cognome|professione|lavoro|città|indirizzo|telefono|cellulare|numero|compleanno|data di nascita|età|allergie|allergia|farmaci|medicine|animali|figli|famiglia|hobby|numero di scarpe|taglia|altezza|peso|gruppo sanguigno|targa|medico|dentista|caffè|budget|su di me|e-?mail|squadra|intolleranze|piatto preferito|colore preferito)`,
  ),
  families: [
    {
      family: "home",
      match: loose(`(?:^|[ ])(?:vivo|viviamo|abito|abitiamo) (?:.{0,20} )?(?:a|in|ad|vicino)(?![\\p{L}])`),
    },
    {
      family: "name",
      match: pattern(`^(?:[mM]i chiamo|(?:[iI]l )?[mM]io nome è|(?:io )?[sS]ono (?:la |il )?\\p{Lu}\\p{L}+(?:,|$))`),
    },
    { family: "age", match: loose(`(?:^|[ ])ho \\d{1,3} anni$`) },
    { family: "birthday", match: loose(`^(?:il )?mio compleanno`) },
    {
      family: "work",
      match: loose(`(?:^|[ ])lavoro (?:.{0,20} )?(?:a|in|da|come|per|con|alla|al|presso)(?![\\p{L}])`),
    },
    {
      family: "partner",
      match: loose(
        `^(?:la )?(?:mia (?:moglie|fidanzata|ragazza|compagna)|mio (?:marito|fidanzato|ragazzo|compagno))(?![\\p{L}])`,
      ),
    },
    { family: "diet", match: loose(`(?:vegetarian[oa]|vegan[oa])`) },
  ],
  moved: [loose(`^(?<before>.*?)(?:mi sono|ci siamo) (?:trasferit[oaie]|spostat[oaie]) (?:a|in|ad) (?<place>.+)$`)],
  home: "vivo a {place}",
  since: "da",
  company: pattern(`^(?<home>.*(?:vivo|viviamo|[aA]bito|abitiamo) .*(?:a|in|ad) \\p{Lu}[\\p{L}-]+),? (?<rest>con .+)$`),
};
