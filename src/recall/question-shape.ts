/** What a question wants, as far as its form tells; 1 or 0 each. */
export type QuestionShape = Readonly<Record<(typeof SHAPES)[number], number>>;

const PATTERNS = {
  when: /\b(?:when|what (?:date|day|month|year|time)|how long|how many (?:days|weeks|months|years)|since when|wann|wie lange|cuándo|quand|quando|wanneer|combien de temps)\b|什么时候|何时|哪(?:一)?[天年月日]|几[月号点]|多久|いつ/i,
  who: /\b(?:who|whom|whose|wer|wen|wem|wessen|quién|quiénes|qui|quem|chi|wie is)\b|谁|哪位|誰/i,
  where:
    /\b(?:where|which (?:city|country|place|state|town)|wo|woher|wohin|dónde|où|onde|dove|waar)\b|哪里|哪儿|什么地方|どこ/i,
  count:
    /\b(?:how (?:many|much|often|old|far)|wie ?viele?|wie oft|cuánt[oa]s?|combien|quant[oaie]s?|hoeveel)\b|多少|几[个次]|いくつ|いくら/i,
  why: /\b(?:why|how come|reason|warum|wieso|weshalb|por qué|pourquoi|por que|perché|waarom)\b|为什么|为何|原因|なぜ/i,
  many: /\b(?:which|what (?:are|were|kinds?|types?|sorts?)|what \w+s (?:has|have|does|do|did)|all|list|both|different|various|several|activities|hobbies|things|welche|cuáles|quelles?|quels|quais|quali|welke)\b|哪些|分别|列出/i,
  overview:
    /\b(?:summar\w+|overview|recap|in order|order in which|chronolog\w+|throughout|across (?:all|our)|over time|progress\w*|evolv\w+|timeline|zusammenfass\w+|resum\w+|résum\w+|riassun\w+)\b|总结|概述|先后|顺序|过程/i,
  wants:
    /\b(?:recommend|suggest\w*|advice|ideas?|options?|help me|show me|could you|can you|would you|should i|how (?:do|can|should|would) i|what should|empfiehl\w*|recomienda\w*|recommande\w*)\b|推荐|建议/i,
  yours:
    /\b(?:(?:did|have|had) you (?:recommend|suggest|advise|propose|tell|say|explain|help|guide|give|mention|show|describe|walk|teach|offer|warn|outline|provide)\w*|you (?:recommended|suggested|advised|proposed|told|said|explained|gave|mentioned|showed|offered|warned|outlined)|your (?:advice|suggestions?|recommendations?|answer|explanation|proposal|reply|response|plan)|hast du|haben sie (?:mir )?|dein(?:e|en|em)? (?:rat|vorschlag|antwort|empfehlung)|me (?:recomendaste|sugeriste|dijiste|aconsejaste)|tu (?:consejo|respuesta|sugerencia)|(?:m['’]as-tu|as-tu|avez-vous)|(?:ton|votre) (?:conseil|avis)|mi hai (?:consigliato|detto|suggerito)|(?:você|tu) (?:me )?(?:recomendou|sugeriu|disse)|heb je (?:me )?)\b|你(?:之前)?(?:建议|推荐|说过|告诉)|あなたは|勧め/i,
  mine: /\b(?:i|my|me|mine|ich|mein\w*|mir|mich|yo|mi|mis|je|mon|ma|mes|eu|meu|minha|io|mio|mia|ik|mijn)\b|我|私|僕/i,
} as const;

const SHAPES = ["when", "who", "where", "count", "why", "many", "overview", "wants", "yours", "mine"] as const;

/** Reads the form of a question. */
export function shapeOf(question: string): QuestionShape {
  const has = (pattern: RegExp) => (pattern.test(question) ? 1 : 0);
  return {
    when: has(PATTERNS.when),
    who: has(PATTERNS.who),
    where: has(PATTERNS.where),
    count: has(PATTERNS.count),
    why: has(PATTERNS.why),
    many: has(PATTERNS.many),
    overview: has(PATTERNS.overview),
    wants: has(PATTERNS.wants),
    yours: has(PATTERNS.yours),
    mine: has(PATTERNS.mine),
  };
}
