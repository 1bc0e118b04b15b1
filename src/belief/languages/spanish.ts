import { begins, loose, NEVER, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";

const VERBS = `vivo|vivimos|resido|trabajo|trabajamos|me llamo|me dedico|estudio|aprendo|enseño|doy clase|toco|juego|conduzco|como|comemos|bebo|fumo|odio|detesto|adoro|amo|prefiero|uso|usamos|utilizo|tomo|peso|mido|colecciono|entreno|corro|nado|canto|pinto|escribo|hablo|hago|voy|llevo|evito|ayuno|gano|pago|cocino|vendo|tengo|tenemos|cuido|crío|cumplo|nací|crecí|soporto|aguanto|puedo comer|puedo tomar|puedo beber|necesito|compro|desayuno|sufro|padezco|dirijo|manejo`;
const PEOPLE = `madre|padre|mamá|papá|padres|mujer|esposa|marido|esposo|novia|novio|pareja|hija|hijo|hijas|hijos|hermana|hermano|hermanas|hermanos|abuela|abuelo|abuelos|tía|tío|prima|primo|sobrina|sobrino|suegra|suegro|jefe|jefa|compañera|compañero|vecina|vecino|perro|perra|gato|gata|médico|médica|dentista|amiga|amigo|casero|casera|nieta|nieto|ex`;

/** How Spanish is read. */
export const SPANISH: Table = {
  code: "es",
  fillers: begins(
    `bueno|pues|hola|buenas|buenos días|oye|mira|por cierto|vale|ok|y|pero|sí(?=,)|no(?=,)|eh|gracias|perdona|perdón|en realidad|la verdad|además|también|entonces|porque|por favor|ah|ay|que sepas|para que sepas|que(?= no | yo | tengo | vivo | soy )`,
  ),
  clauseStart: pattern(
    `^(?:y |pero |e |porque |que )*(?:yo|nosotros|mi|mis|nuestro|nuestra|nuestros|nuestras|me|soy|estoy|vivo|trabajo|tengo|no|él|ella|el|la|los|las|se|es|somos|estamos|tenemos|estudio|como|bebo|odio|adoro|prefiero|tomo|hablo|lo|al final|qué|quién|cómo|cuándo|dónde|cuál|cuánto|cada cuánto|puedo|puedes|debo|quizá|quizás|tal vez|si|casad[oa]|divorciad[oa]|solter[oa]|autónom[oa]|dice|dejé|peso|mido)(?![\\p{L}])`,
  ),
  joins: words(`y|e|pero|porque|aunque|así que`),
  continues: begins(`él|ella|ellos|ellas|se llama|se llaman|lo|la`),
  asks: begins(
    `quién|quiénes|qué|cómo|cuándo|dónde|adónde|cuál|cuáles|cuánto|cuánta|cuántos|cuántas|por qué|puedo|puedes|podrías|sabes|recuerdas|te acuerdas|debo|debería|hay|crees|me puedes|cada cuánto|es cierto que|acaso|de quién|en qué|a qué|con quién`,
  ),
  hedges: words(
    `quizá|quizás|tal vez|a lo mejor|igual me|puede que|puede ser|probablemente|posiblemente|seguramente|ojalá|si (?:yo|fuera|tuviera|pudiera|me|no|todo|gano|voy|hubiera)|me gustaría|quisiera|querría|creo que|creo|pienso que|supongo|imagino que|diría|no sé si|no estoy segur[oa]|pensando en|estoy pensando|me planteo|sueño con|algún día|espero|esperamos|podría|podríamos|sería|tendría|viviría|haría|\\p{L}+ría(?:mos)?(?= )|fuera|tuviera|hubiera`,
  ),
  doubts: words(
    `ya veremos|nada decidido|quién sabe|no sé$|no lo sé|creo$|no es verdad que|no es cierto que|en mis sueños`,
  ),
  reports: words(
    `dice|dicen|dijo|dijeron|cree que|piensa que|piensan|según|jura|afirma|asegura|opina|cuenta que|me contó|contó que|escribió|escribe que|al parecer|por lo visto|he oído|está convencid[oa]|me llama vag[oa]`,
  ),
  plays: words(
    `imagina(?:te)? que|imagínate|finge|finjamos|haz como|hagamos como|juego de rol|supongamos|supón|digamos que|actúa como|en mi próxima vida|eres ahora|pongamos que`,
  ),
  handles: begins(
    `(?:por favor |puedes |podrías |me )*(?:traduce|tradúceme|traducir|resume|resumir|reescribe|corrige|escribe (?:un|una|me|el|la)|escríbeme|redacta|inventa|cómo se dice|continúa|mejora|completa|lee)`,
  ),
  pastes: words(
    `(?:correo|mail|email|carta|mensaje|artículo|periódico|post|comentario|letra|canción|poema|cita|transcripción|anuncio|reseña|receta|texto|chat|whatsapp)(?: (?:de|del|que|en)\\b.{0,40})?\\s*(?::|$)|reenviado|en el periódico|escribió:|me (?:mandó|envió|ha mandado) esto|mira este|letra de`,
  ),
  jokes: words(
    `es broma|broma|bromeando|jajaja+ claro|ironía|sí claro|claro que sí,? y|sí,? hombre|sí seguro|/s|como si`,
  ),
  remembers: begins(
    `(?:por favor |puedes |oye )*(?:recuerda(?: bien)?(?: que|:|,)?|acuérdate(?: de)?(?: que|:|,)?|no (?:te )?olvides(?: de)?(?: que|:|,)?|que no se te olvide(?: que|:|,)?|apunta(?: que|:|,)?|anota(?: que|:|,)?|ten en cuenta(?: que|:|,)?|ten presente(?: que|:|,)?|toma nota(?: de)?(?: que|:|,)?|importante(?::|,|!)|para que lo sepas(?::|,)?|nota(?::))`,
  ),
  forgets: begins(
    `(?:por favor |puedes |oye )*(?:olvida(?:te)?(?: de)?(?: que| lo)?|borra|elimina|quita|ignora|no recuerdes)`,
  ),
  takesBack: words(
    `era (?:una )?broma|es broma|olvídalo|olvida eso|no es verdad|no es cierto|lo retiro|me equivoqué|nunca dije eso|^ya no$|^no es así$|borra eso`,
  ),
  corrects: begins(
    `no|perdón|perdona|espera|bueno|mejor dicho|quiero decir|quería decir|corrección|en realidad|me equivoqué|al final|ay|uy|digo`,
  ),
  cancels: words(`cancelad[oa]|cancelaron|han cancelado|se canceló|no sale|se cayó|al final no`),
  swaps: [
    pattern(`([\\p{L}\\p{N}-]+)[,!.]* no ([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)`),
    pattern(`no (?:en |de |es )?([\\p{L}\\p{N}-]+),? sino (?:en |de |es )?(?<right>[\\p{L}\\p{N}-]+)`),
  ],
  confirms: begins(`sí|si|exacto|correcto|eso es|así es|claro|efectivamente|justo|cierto|eso mismo`),
  ends: [
    {
      match: words(
        `lo dejamos|rompimos|hemos roto|nos separamos|nos hemos separado|me he divorciado|me divorcié|mi ex`,
      ),
      families: ["partner"],
    },
    {
      match: words(
        `me despidieron|me han despedido|dejé el trabajo|he dejado el trabajo|renuncié|dimití|trabajaba|me jubilé|ya no trabajo`,
      ),
      families: ["work"],
    },
    {
      match: words(`vuelvo a comer carne|ya como carne|ya no soy vegan[oa]|ya no soy vegetarian[oa]`),
      families: ["diet"],
    },
  ],
  negates: words(`no|nunca|jamás|tampoco|sin|ni|dejé|he dejado|vendí|antes|ya no|ningún|ninguna`),
  fleeting: words(
    `cansad[oa]|muert[oa]|hambre|sed|sueño|list[oa]|segur[oa]|content[oa]|de acuerdo|ahora vuelvo|ya vuelvo|aquí|ocupad[oa]|una pregunta|una duda|una idea|ni idea|gracias|así,|me gusta así|hart[oa]|calor|frío|prisa|ganas|perdid[oa]|confus[oa]|encantad[oa]`,
  ),
  instructs: pattern(
    `^(?:por favor |a partir de ahora |desde ahora |siempre )*(?:(?:siempre|nunca|solo) .{0,30}(?:responde|contesta|escribe|usa|habla|llámame)|(?:respóndeme|responde|contesta|contéstame|escríbeme|háblame|habla|tutéame|trátame|llámame|usa|utiliza|evita) (?:siempre |solo |me )*(?:en|con|sin|de|corto|breve|\\p{Lu}|emojis?|\\p{L}+)|sin (?:emojis?|listas|tablas|exclamaciones|rodeos)|respuestas cortas|nada de (?:emojis?|listas)|no (?:uses|pongas|me llames|me trates|escribas|empieces))`,
  ),
  light: NEVER,
  facts: [
    loose(
      `(?:^|[ ])(?:yo )?(?:no |ya no |nunca |siempre |también |ya |ahora |casi nunca )*(?:${VERBS})(?![\\p{L}])(?: (?!(?:que|una pregunta|una duda|una idea|ni idea|hambre|sueño|sed|prisa|ganas|razón|claro|así|bien|eso|esto|lo|te|aquí|allí|un momento)(?![\\p{L}]))|$)`,
    ),
    loose(
      `(?:^|[ ])(?:no |ya no |tampoco )?(?:me|nos) (?:gusta|gustan|encanta|encantan|flipa|chifla|interesa|interesan|duele siempre|sienta mal)(?![\\p{L}]) (?!(?:así|eso|esto|más|tu|cómo|lo)(?![\\p{L}]))`,
    ),
    loose(
      `(?:^|[ ])(?:yo )?(?:no |ya no |también |ya )*(?:soy|somos)(?![\\p{L}]) (?!(?:yo|consciente|tont[oa]|un desastre|todo oídos|tod[oa] oídos)(?![\\p{L}]))`,
    ),
    loose(
      `(?:^|[ ])(?:no |ya no )?(?:estoy|estamos) (?:casad[oa]s?|divorciad[oa]s?|solter[oa]|embarazada|jubilad[oa]|en paro|de baja|prometid[oa]s?|separad[oa]s?|aprendiendo|estudiando|entrenando|leyendo|trabajando|viviendo|a dieta|viud[oa]|tomando|en (?:la |el )?\\p{L}+)(?![\\p{L}])`,
    ),
    loose(
      `^(?:mi|mis|nuestro|nuestra|nuestros|nuestras) (?!(?:dios|pregunta|culpa|problema|opinión|idea|cabeza)(?![\\p{L}]))(?:[\\p{L}\\d-]+ ){1,4}?(?:es|son|se llama|se llaman|tiene|tienen|vive|viven|trabaja|trabajan|está|están|estudia|viene|va|juega|come|bebe|odia|era|murió|falleció|empieza|cumple|se casa|habla)(?![\\p{L}]) (?!(?:rot[oa]|mal|cansad[oa]|muert[oa] de)(?:$|[,. ]))`,
    ),
    loose(
      `^(?:el|la|los|las) (?:${PEOPLE}) de (?:mi|mis|nuestro|nuestra|\\p{L}+) ?(?:\\p{L}+ )?(?:es|se llama|vive|trabaja|tiene|está)(?![\\p{L}])`,
    ),
    pattern(
      `^(?:[eE]l|[lL]a|[lL]os|[lL]as) (?:[\\p{L}\\d-]+ ){1,4}?(?:es|son|se llama|se llaman|está|empieza|cuesta|viene|queda)(?![\\p{L}]) .*(?:\\d|\\p{Lu}|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)`,
    ),
    pattern(
      `^\\p{Lu}\\p{L}+ (?:es|tiene|vive|trabaja|se llama|viene|odia|está)(?![\\p{L}]) .*(?:\\p{Lu}\\p{L}+|\\d|alérgic|vegan|vegetarian|embarazada|mi )`,
    ),
    loose(`^(?:los|las|cada|todos los) (?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)(?![\\p{L}])`),
    loose(`^(?:dos|tres|cuatro|cinco|\\d+) (?:hijos|hijas|gatos|perros|hermanos|hermanas|niños)(?![\\p{L}])`),
    loose(`^(?:antes )(?:fumaba|vivía|trabajaba|bebía|jugaba)(?![\\p{L}])`),
    loose(
      `^(?:lo |la )?(?:dejé|vendí|compré|compramos|adopté|adoptamos|empecé|empezamos|nací|me jubilé|me casé|nos casamos|me divorcié|cambié|aprobé|me gradué|tuvimos|tuve)(?![\\p{L}]) ?`,
    ),
    loose(`^(?:he|hemos) (?:dejado|vendido|comprado|adoptado|empezado|cambiado|tenido|decidido)(?![\\p{L}])`),
    loose(`^(?:alérgic[oa] a|casad[oa] con|vegetarian[oa]|vegan[oa]|celíac[oa]|autónom[oa])(?![\\p{L}])`),
  ],
  labels: begins(
    `(?:mi |mis |nuestr[oa]s? |nuevo |nueva )*(?:nombre|apellidos?|profesión|trabajo|ciudad|dirección|teléfono|móvil|número|cumpleaños|cumple|fecha de nacimiento|edad|alergias?|medicación|medicinas|medicamentos|mascotas?|hijos|hijas|familia|aficiones|talla(?: de \\p{L}+)?|número de pie|altura|peso|grupo sanguíneo|matrícula|médico|dentista|café|presupuesto|sobre mí|correo|equipo|intolerancias|idiomas|comida favorita|color favorito)`,
  ),
  families: [
    { family: "home", match: loose(`(?:^|[ ])(?:vivo|vivimos|resido) (?:.{0,20} )?(?:en|cerca)(?![\\p{L}])`) },
    {
      family: "name",
      match: pattern(`^(?:[mM]e llamo|[mM]i nombre es|(?:yo )?[sS]oy (?:la |el )?\\p{Lu}\\p{L}+(?:,|$))`),
    },
    { family: "age", match: loose(`(?:^|[ ])tengo \\d{1,3} años$`) },
    { family: "birthday", match: loose(`^mi cumple(?:años)?(?![\\p{L}])`) },
    { family: "work", match: loose(`(?:^|[ ])trabajo (?:.{0,20} )?(?:en|de|como|para|con)(?![\\p{L}])`) },
    {
      family: "partner",
      match: loose(
        `^(?:mi (?:mujer|esposa|marido|esposo|novia|novio|pareja)|casad[oa] con|estoy casad[oa] con)(?![\\p{L}])`,
      ),
    },
    { family: "diet", match: loose(`(?:vegetarian[oa]|vegan[oa])`) },
  ],
  moved: [
    loose(
      `^(?<before>.*?)(?:me|nos) (?:he |hemos |)(?:mudado|mudé|mudamos|trasladé|trasladado|trasladamos) a (?<place>.+)$`,
    ),
  ],
  home: "vivo en {place}",
  since: "desde",
  company: pattern(`^(?<home>.*(?:vivo|vivimos) .*en \\p{Lu}[\\p{L}-]+),? (?<rest>con .+)$`),
};
