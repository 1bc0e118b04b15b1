import { begins, loose, NEVER, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";

const VERBS = `habite|habitons|vis|vit|vivons|travaille|travaillons|bosse|m'appelle|étudie|apprends|enseigne|joue|conduis|mange|mangeons|bois|fume|aime|adore|déteste|préfère|utilise|utilisons|prends|pèse|mesure|collectionne|cours|nage|chante|peins|écris|parle|fais|vais|porte|évite|jeûne|gagne|paie|paye|cuisine|vends|ai|avons|a|garde|élève|supporte|digère|peux manger|peux boire|viens de|souffre|dirige|gère|possède|dors|me lève|roule|crains`;
const NOT = `(?:ne |n'|n’)`;

/** How French is read. */
export const FRENCH: Table = {
  code: "fr",
  fillers: begins(
    `alors|bon|ben|bah|salut|bonjour|coucou|hé|au fait|d'ailleurs|ok|et|mais|oui(?=,)|non(?=,)|euh|merci|désolée?|pardon|en fait|en vrai|franchement|aussi|donc|puis|parce que|s'il te plaît|stp|svp|ah|oh|bref|sinon|pour info|du coup|moi(?=,? j)`,
  ),
  clauseStart: pattern(
    `^(?:et |mais |donc |puis |car |parce que |maintenant )*(?:je|j'|on|nous|mon|ma|mes|notre|nos|moi|il|elle|ils|elles|c'est|ce|le|la|les|l'|tu|vous|mari[ée]e?|divorcée?|célibataire|retraitée?|n'|ne|pas|qui|que|quoi|comment|quand|où|pourquoi|quel|quelle|combien|est-ce|peux|puis-je|dois|peut-être|si|dit)(?![\\p{L}])`,
  ),
  joins: words(`et|mais|car|donc|parce que`),
  continues: begins(`il|elle|ils|elles`),
  asks: begins(
    `qui|que|qu'est-ce|quoi|comment|quand|où|pourquoi|quel|quelle|quels|quelles|combien|est-ce|est-il|puis-je|peux-tu|peux tu|tu peux|pouvez-vous|sais-tu|tu sais|dois-je|ai-je|suis-je|habite-t|as-tu|t'as|tu as|vous avez|y a-t|c'est quoi|c'est qui|c'est où|c'est quand|c'est de qui|à qui|à quelle|de quoi|depuis quand|en quelle`,
  ),
  hedges: words(
    `peut-être|peut être|probablement|sans doute|éventuellement|si (?:je|j'|on|nous|seulement|tout)|s'il|j'aimerais|je voudrais|je souhaite|j'espère|on espère|je pense|je crois|je suppose|j'imagine|je rêve|je ne sais pas|je sais pas|pas sûre?|j'hésite|on hésite|je réfléchis|on réfléchit|un jour|pourrais|pourrait|serais|serait|aurais|aurait|ferais|vivrais|devrais|\\p{L}+rais(?= )|il se peut|imaginons|disons`,
  ),
  doubts: words(
    `on verra|rien de décidé|qui sait|je sais pas$|je crois$|je pense$|il n'est pas vrai que|c'est pas vrai que|ce n'est pas vrai`,
  ),
  reports: words(
    `dit|disent|disait|a dit|croit|croient|pense que|pensent|prétend|prétendent|selon|d'après|raconte|affirme|trouve que|trouvent que|est persuadée?|est convaincue?|paraît|il paraît|apparemment|soi-disant|écrit que|a écrit|j'ai entendu|m'a dit|m'a raconté`,
  ),
  plays: words(
    `fais semblant|faisons semblant|imagine que|imagine-toi|imaginons|jeu de rôle|joue le rôle|suppose que|supposons|disons que|fais comme si|dans ma prochaine vie|tu es maintenant`,
  ),
  handles: begins(
    `(?:s'il te plaît |stp |peux-tu |tu peux |pouvez-vous )*(?:tradui[st]|traduire|traduisez|résume|résumer|réécris|reformule|corrige|écris(?:-moi)? (?:un|une|moi|le|la)|rédige|invente|comment (?:dit-on|on dit|dire)|continue|améliore|complète|lis)`,
  ),
  pastes: words(
    `(?:mail|email|courriel|lettre|message|sms|texto|article|journal|post|commentaire|paroles|chanson|poème|citation|annonce|critique|recette|texte|avis|chat)(?: (?:de|du|d'|que|dans)\\b.{0,40})?\\s*(?::|$)|transféré|dans le journal|a écrit :|m'a envoyé ça|voici|voilà (?:le|la)|citation du jour|regarde ce`,
  ),
  jokes: words(
    `je plaisante|c'est une blague|blague|je rigole|je déconne|ironie|ironique|bien sûr,? et|mais oui,? et|ben voyons|genre,? j|lol non|/s|comme si`,
  ),
  remembers: begins(
    `(?:s'il te plaît |stp |et )*(?:souviens-toi(?: bien)?(?: que| de|:|,)?|rappelle-toi(?: que|:|,)?|n'oublie pas(?: que| :|:|,)?|oublie pas(?: que|:|,)?|retiens(?: bien)?(?: que|:|,)?|note(?: bien| que|:|,| :)+|garde en tête(?: que|:|,)?|sache(?: que|:|,)?|pour info(?::|,)?|important(?: :|:|,|!))`,
  ),
  forgets: begins(
    `(?:s'il te plaît |stp )*(?:oublie(?! pas)(?: que| le| la| ce que)?|efface|supprime|enlève|retire|ignore ce que|ne retiens pas)`,
  ),
  takesBack: words(
    `c'était (?:une blague|pour rire)|je plaisantais|je rigolais|oublie ça|laisse tomber|c'est faux|je retire|je n'ai jamais dit|j'ai jamais dit|^plus maintenant$|^c'est plus le cas$|c'est pas vrai`,
  ),
  corrects: begins(
    `non|pardon|désolée?|attends|en fait|plutôt|je veux dire|je voulais dire|correction|erreur|oups|finalement|enfin`,
  ),
  cancels: words(`annulée?s?|c'est annulé|tombé à l'eau|ne se fait pas|se fait plus|a annulé`),
  swaps: [
    pattern(`([\\p{L}\\p{N}-]+)[,!.]* pas ([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)`),
    pattern(`pas (?:à |de |en )?([\\p{L}\\p{N}-]+),? (?:mais|c'est) (?:à |de |en )?(?<right>[\\p{L}\\p{N}-]+)`),
  ],
  confirms: begins(`oui|ouais|exact|exactement|c'est ça|tout à fait|voilà|correct|c'est bien ça|absolument|en effet`),
  ends: [
    {
      match: words(
        `on s'est séparés|nous nous sommes séparés|on a rompu|on a cassé|j'ai divorcé|je suis divorcée?|mon ex|ma ex`,
      ),
      families: ["partner"],
    },
    {
      match: words(
        `j'ai démissionné|démissionné|on m'a virée?|j'ai été (?:virée?|licenciée?)|licenciée?|je ne travaille plus|j'ai quitté (?:mon|ma|le|la)|je suis (?:à la )?retraite`,
      ),
      families: ["work"],
    },
    { match: words(`je remange de la viande|je mange de nouveau de la viande`), families: ["diet"] },
  ],
  negates: words(`ne|n'\\p{L}+|pas|jamais|plus|sans|aucune?|arrêté|vendu|ancien(?:ne)?|ni|non`),
  fleeting: words(
    `fatiguée?|crevée?|morte?|faim|soif|sommeil|prête?|sûre?|contente?|d'accord|désolée?|en retard|là|occupée?|une question|une idée|aucune idée|merci|perdue?|de retour|pressée?|mal à la tête|chaud|froid|ravie?|impressionnée?|bête|hâte|au bord|venue?|allée?|rentrée?|partie?|arrivée?|tombée?|curieu(?:x|se)|en train de`,
  ),
  instructs: pattern(
    `^(?:s'il te plaît |stp |désormais |à partir de maintenant )*(?:(?:toujours|jamais|seulement) .{0,30}(?:répondre|réponds|écris|utilise)|(?:réponds|réponds-moi|écris-moi|parle-moi|parle|tutoie-moi|vouvoie-moi|appelle-moi|utilise|évite) ?(?:toujours |seulement |moi )*(?:en|avec|sans|de|court|brièvement|\\p{Lu}|les|des)?|pas d'emojis?|sans emojis?|pas de (?:listes|tableaux|blabla)|réponses courtes|ne (?:commence|mets|m'appelle|réponds|utilise) (?:pas|jamais))`,
  ),
  light: NEVER,
  facts: [
    loose(
      `(?:^|[ ,])(?:moi )?(?:je |j'|on |nous )(?:${NOT})?(?:y |en )?(?:me )?(?:${VERBS})(?![\\p{L}])(?: (?:pas|plus|jamais))?(?: (?!(?:une question|une idée|faim|soif|sommeil|compris|vu|ça|cela|bien|mal|dit|pensé|besoin|envie|raison|hâte|peur que|trop|le temps|du mal à)(?![\\p{L}]))|$)`,
    ),
    loose(
      `(?:^|[ ])(?:je (?:ne )?suis|on (?:n')?est|nous sommes)(?: pas| plus| aussi| toujours)? (?!(?:là|ici|en train|sûre?|désolée?|d'accord|venue?|allée?|partie?|rentrée?|arrivée?|tombée?|pas|ok|bien|mal|morte?|crevée?|fatiguée?|contente?|prête?|sur le point|perdue?|vraiment|trop|tout|très)(?![\\p{L}]))(?:\\p{L}|\\d)`,
    ),
    loose(
      `^(?:mon|ma|mes|notre|nos) (?!(?:dieu|question|faute|problème|avis|idée|tête)(?![\\p{L}]))(?:[\\p{L}\\d-]+ ){1,4}?(?:est|sont|s'appelle|s'appellent|a|ont|habite|habitent|vit|vivent|travaille|travaillent|étudie|vient|va|joue|aime|déteste|mange|boit|entre|commence|était|se marie|fait|parle|finit|dure|coûte)(?![\\p{L}]) (?!(?:cassée?|mal|morte?|fatiguée?|en panne)(?:$|[,. ]))`,
    ),
    loose(
      `^(?:le|la|les|l')\\s?(?:[\\p{L}]+) (?:de|d') ?(?:mon|ma|mes|notre|nos) (?:[\\p{L}-]+ )(?:c'est |est |s'appelle |habite |travaille |a )`,
    ),
    loose(`^c'est (?:l'anniversaire|le \\d|mon|ma|notre) .*`),
    pattern(
      `^(?:[lL]e |[lL]a |[lL]es |[lL]['’])(?:[\\p{L}\\d'-]+ ){1,4}?(?:est|sont|s'appelle|s'appellent|commence|coûte|vient|tombe|c'est)(?![\\p{L}]) .*(?:\\d|\\p{Lu}|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)`,
    ),
    pattern(
      `^\\p{Lu}\\p{L}+ (?:est|a|habite|travaille|s'appelle|vient|vit|déteste)(?![\\p{L}]) .*(?:\\p{Lu}\\p{L}+|\\d|allergique|végan|végétarien|enceinte|mon |ma )`,
    ),
    loose(
      `(?:^|[ ])(?:j'ai|on a|nous avons|je suis|on est) (?:arrêté|vendu|acheté|adopté|commencé|changé|décidé|eu|déménagé|quitté|né|née|grandi|étudié|travaillé|vécu|appris)(?![\\p{L}])`,
    ),
    loose(`^(?:deux|trois|quatre|cinq|\\d+) (?:enfants|filles|fils|chats|chiens|frères|sœurs|garçons)(?![\\p{L}])`),
    loose(
      `^(?:allergique (?:à|aux|au)|mariée? (?:à|avec|depuis)|végétarien(?:ne)?|végan[e]?|intolérante? (?:à|au))(?![\\p{L}])`,
    ),
    loose(`^(?:le|les|tous les|chaque) (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?(?![\\p{L}])`),
    loose(`(?:^|[ ])j'aime pas |(?:^|[ ])je supporte pas |(?:^|[ ])je (?:mange|bois|fume|conduis) pas`),
  ],
  labels: begins(
    `(?:mon |ma |mes |notre |nos |nouveau |nouvelle )*(?:prénom|nom|métier|profession|ville|adresse|téléphone|portable|numéro(?: de \\p{L}+)?|anniversaire|date de naissance|âge|allergies?|médicaments|traitement|animaux|enfants|famille|loisirs|pointure|taille|poids|groupe sanguin|plaque|médecin|dentiste|café|budget|à propos de moi|sur moi|mail|équipe|régime|couleur préférée|plat préféré)`,
  ),
  families: [
    { family: "home", match: loose(`(?:^|[ ])(?:j'habite|on habite|nous habitons|je vis|on vit|habite)(?![\\p{L}])`) },
    { family: "name", match: pattern(`^(?:[jJ]e m'appelle|[mM]on (?:pré)?nom est|(?:moi )?c'est \\p{Lu}\\p{L}+$)`) },
    { family: "age", match: loose(`(?:^|[ ])j'ai \\d{1,3} ans$`) },
    { family: "birthday", match: loose(`^mon anniversaire`) },
    { family: "work", match: loose(`(?:^|[ ])(?:je travaille|je bosse)(?![\\p{L}])`) },
    {
      family: "partner",
      match: loose(
        `^(?:ma (?:femme|copine|compagne|fiancée)|mon (?:mari|copain|compagnon|fiancé|conjoint)|mariée? (?:à|avec))(?![\\p{L}])`,
      ),
    },
    { family: "diet", match: loose(`(?:végétarien|végan|vegan)`) },
  ],
  moved: [
    loose(
      `^(?<before>.*?)(?:j'ai|on a|nous avons|je me suis|on s'est) (?:emménagé|déménagé|installée?s?) (?:à|au|en) (?<place>.+)$`,
    ),
  ],
  home: "habite à {place}",
  since: "depuis",
  company: pattern(
    `^(?<home>.*(?:[jJ]'habite|on habite|je vis|on vit|nous habitons) .*(?:à|en|au) \\p{Lu}[\\p{L}-]+),? (?<rest>avec .+)$`,
  ),
};
