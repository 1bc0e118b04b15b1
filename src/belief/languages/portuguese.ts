import { begins, loose, NEVER, pattern, words } from "../table.ts";
import type { Table } from "../table.ts";

const VERBS = `moro|moramos|vivo|vivemos|resido|trabalho|trabalhamos|me chamo|chamo-me|estudo|aprendo|ensino|dou aulas?|toco|jogo|dirijo|conduzo|como|comemos|bebo|fumo|odeio|detesto|adoro|amo|gosto de|gosto muito|prefiro|uso|usamos|tomo|peso|meço|coleciono|treino|corro|nado|canto|pinto|escrevo|falo|faço|vou|evito|jejuo|ganho|pago|cozinho|vendo|tenho|temos|cuido|crio|nasci|cresci|suporto|aguento|posso comer|posso tomar|posso beber|preciso|compro|sofro|dirijo|gerencio|pedalo|leio`;

/** How Portuguese is read. */
export const PORTUGUESE: Table = {
  code: "pt",
  fillers: begins(
    `então|bom|bem(?=,)|oi|olá|ei|olha|aliás|ok|e|mas|sim(?=,)|não(?=,)|eh|obrigad[oa]|desculpa|desculpe|na verdade|também|daí|porque|por favor|ah|ai|a propósito|por falar nisso|só pra você saber|tipo|pois|e aí`,
  ),
  clauseStart: pattern(
    `^(?:e |mas |porque |que |agora )*(?:eu|nós|a gente|meu|minha|meus|minhas|nosso|nossa|nossos|nossas|me|sou|estou|moro|vivo|trabalho|tenho|faço|não|nem|ele|ela|o|a|os|as|somos|temos|estudo|como|bebo|gosto|adoro|odeio|prefiro|tomo|falo|só|que|quem|como|quando|onde|qual|quanto|posso|pode|devo|talvez|se|casad[oa]|divorciad[oa]|solteir[oa]|diz|parei|peso|agora)(?![\\p{L}])`,
  ),
  joins: words(`e|mas|porque|só que|então`),
  continues: begins(`ele|ela|eles|elas|se chama|chama-se|nem`),
  asks: begins(
    `quem|que|o que|como(?= (?:se|é|eu|você|faço|posso|chama|está))|quando|onde|aonde|qual|quais|quanto|quanta|quantos|quantas|por que|posso|pode|podes|você sabe|sabe|sabes|lembra (?:de|do|da|quando)|devo|deveria|será que|tem|em que|a que|com quem|de quem|desde quando|ainda (?:faço|moro|tenho|trabalho|como|jogo)|eu (?:moro|sou|tenho|trabalho|gosto)(?= .*\\?$)|cadê`,
  ),
  hedges: words(
    `talvez|provavelmente|possivelmente|quem sabe|quem me dera|tomara|oxalá|se (?:eu|fosse|tivesse|pudesse|der|tudo|a gente|ganhar)|gostaria|gostava de|queria|acho que|acho|penso que|creio que|suponho|imagino que|não sei se|não tenho certeza|não tenho a certeza|pensando em|estou a pensar|estou pensando|sonho em|sonho com|um dia|espero|esperamos|poderia|seria|teria|moraria|\\p{L}+ria(?:mos)?(?= )|fosse|tivesse|pode ser que|digamos`,
  ),
  doubts: words(`vamos ver|nada decidido|quem sabe|não sei$|sei lá|acho$|não é verdade que|nos meus sonhos`),
  reports: words(
    `diz|dizem|disse|disseram|acha que|acham|pensa que|pensam|segundo|jura|afirma|garante|opina|conta que|me contou|contou que|escreveu|escreve que|pelos vistos|parece que|pelo jeito|ouvi dizer|está convencid[oa]|acredita que`,
  ),
  plays: words(
    `imagina que|imagine que|finge|finja|vamos fingir|faz de conta|faça de conta|supõe|suponha|digamos que|atua como|na minha próxima vida|agora você é|jogo de papéis`,
  ),
  handles: begins(
    `(?:por favor |pode |podes |você pode |me )*(?:traduz|traduza|traduzir|translate|resume|resuma|resumir|reescreve|reescreva|corrige|corrija|escreve(?:-me)? (?:um|uma|me|o|a)|escreva|redige|inventa|invente|como se diz|continua|continue|melhora|completa|lê)`,
  ),
  pastes: words(
    `(?:e-?mail|mail|carta|mensagem|artigo|jornal|post|comentário|letra|música|canção|poema|citação|transcrição|anúncio|crítica|receita|texto|chat|whatsapp|zap)(?: (?:de|do|da|que|no)\\b.{0,40})?\\s*(?::|$|,)|encaminhad[oa]|no jornal|escreveu:|me mandou isso|mandou isto|vê só|olha (?:o|a|este|esse)|veja (?:o|este)`,
  ),
  jokes: words(
    `brincadeira|brincando|é piada|piada|kkk+ claro|ironia|claro,? eu sou|claro,? e eu|aham,? e|até parece|sei,? e eu|/s|só que não|sqn`,
  ),
  remembers: begins(
    `(?:por favor |pode |olha )*(?:lembra(?:-te|-se)?(?: bem)?(?: de)?(?: que|:|,)?(?! (?:do|da|quando))|lembre(?:-se)?(?: de)?(?: que|:|,)?|não (?:te |se )?esque[çc]a[s]?(?: de)?(?: que|:|,)?|não esquece(?: que|:|,)?|anota(?: aí)?(?: que|:|,)?|anote(?: que|:|,)?|aponta(?: que|:|,)?|guarda(?: que|:|,)?|tem em conta(?: que|:|,)?|tenha em mente(?: que|:|,)?|importante(?::|,|!)|fica sabendo(?: que|:|,)?|nota(?::))`,
  ),
  forgets: begins(
    `(?:por favor |pode |olha )*(?:esquece(?: que| o que| a| o)?|esqueça(?: que)?|apaga|apague|remove|remova|tira|ignora|não lembre)`,
  ),
  takesBack: words(
    `era brincadeira|foi brincadeira|é brincadeira|brincadeira|esquece isso|deixa pra lá|não é verdade|retiro o que disse|me enganei|enganei-me|nunca disse isso|^já não$|^não mais$|era,? né|era$`,
  ),
  corrects: begins(
    `não|desculpa|desculpe|espera|quer dizer|quero dizer|queria dizer|correção|na verdade|me enganei|enganei-me|aliás|ops|digo|era`,
  ),
  cancels: words(`cancelad[oa]|cancelaram|foi cancelad[oa]|caiu|não vai rolar|não deu certo`),
  swaps: [
    pattern(`([\\p{L}\\p{N}-]+)[,!.]* não ([\\p{Lu}\\p{N}][\\p{L}\\p{N}-]*)`),
    pattern(`não (?:em |de |é )?([\\p{L}\\p{N}-]+),? (?:mas|e sim) (?:em |de |é )?(?<right>[\\p{L}\\p{N}-]+)`),
  ],
  confirms: begins(`sim|isso mesmo|isso|exato|exatamente|correto|certo|claro|é isso|pois é|com certeza`),
  ends: [
    {
      match: words(`terminamos|acabamos|nos separamos|separámo-nos|me divorciei|divorciei-me|meu ex|minha ex`),
      families: ["partner"],
    },
    {
      match: words(
        `fui demitid[oa]|fui despedid[oa]|me demiti|demiti-me|pedi demissão|larguei o emprego|dei meu aviso|me aposentei|já não trabalho|não trabalho mais`,
      ),
      families: ["work"],
    },
    { match: words(`era,? né|voltei a comer carne|comi uma picanha`), families: ["diet"] },
  ],
  negates: words(`não|nunca|jamais|sem|nem|deixei|parei|vendi|antes|já não|nenhum|nenhuma`),
  fleeting: words(
    `cansad[oa]|mort[oa]|fome|sede|sono|pront[oa]|segur[oa]|feliz|de acordo|já volto|volto já|aqui|ocupad[oa]|uma pergunta|uma dúvida|uma ideia|nem ideia|ideia|obrigad[oa]|perdid[oa]|calor|frio|pressa|vontade|bem,? acho|tô bem|atrasad[oa]|brav[oa] comigo`,
  ),
  instructs: pattern(
    `^(?:por favor |a partir de agora |sempre )*(?:(?:sempre|nunca|só) .{0,30}(?:responde|responda|escreve|usa|fala|me chame)|(?:responde|responda|responda-me|escreve|fala|fale|trata-me|me trate|me chame|chama-me|me chama|usa|use|evita|evite) (?:sempre |só |me )*(?:em|com|sem|de|curto|breve|\\p{Lu}|emojis?|\\p{L}+)|sem (?:emojis?|listas|tabelas|enrolação)|respostas curtas|nada de (?:emojis?|listas)|não (?:use|uses|comece|me chame|me trate))`,
  ),
  light: NEVER,
  facts: [
    loose(
      `(?:^|[ ])(?:eu |a gente |nós )?(?:não |já não |nunca |sempre |também |já |agora |só |nem )*(?:${VERBS})(?![\\p{L}])(?: (?!(?:que|uma pergunta|uma dúvida|uma ideia|fome|sono|sede|pressa|vontade|razão|certeza|assim|bem|isso|isto|aqui|um momento|dúvidas?)(?![\\p{L}]))|$)`,
    ),
    loose(
      `(?:^|[ ])(?:eu )?(?:não |já não |também |já )*(?:sou|somos)(?![\\p{L}]) (?!(?:eu|todo ouvidos|um desastre|grat[oa]|podre)(?![\\p{L}]))`,
    ),
    loose(
      `(?:^|[ ])(?:não |já não )?(?:estou|estamos|tô|tou) (?:casad[oa]s?|divorciad[oa]s?|solteir[oa]|grávida|reformad[oa]|aposentad[oa]|desempregad[oa]|de baixa|noiv[oa]s?|separad[oa]s?|aprendendo|a aprender|estudando|a estudar|treinando|lendo|a ler|de dieta|viúv[oa]|tomando|a tomar|morando|a morar)(?![\\p{L}])`,
    ),
    loose(
      `^(?:o |a |os |as )?(?:meu|minha|meus|minhas|nosso|nossa|nossos|nossas) (?!(?:deus|pergunta|culpa|problema|opinião|ideia|cabeça)(?![\\p{L}]))(?:[\\p{L}\\d-]+ ){1,4}?(?:é|são|se chama|se chamam|chama-se|tem|têm|mora|moram|vive|vivem|trabalha|está|estão|estuda|vem|vai|joga|come|bebe|odeia|era|morreu|faleceu|começa|faz|fez|casa|fala|agora é|expira|adora)(?![\\p{L}]) (?!(?:estragad[oa]|mal|cansad[oa])(?:$|[,. ]))`,
    ),
    loose(
      `^(?:o|a|os|as) [\\p{L}]+ (?:da|do|das|dos|de) (?:minha|meu|meus|minhas|nossa|nosso) [\\p{L}]+ (?:é|se chama|chama-se|mora|vive|trabalha|tem)(?![\\p{L}])`,
    ),
    pattern(
      `^(?:[oO]|[aA]|[oO]s|[aA]s) (?:[\\p{L}\\d-]+ ){1,4}?(?:é|são|se chama|chama-se|começa|custa|vem|fica|mora|mudou|nasceu|vai se chamar|foi)(?![\\p{L}]) .*(?:\\d|\\p{Lu}|segunda|terça|quarta|quinta|sexta|sábado|domingo|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)`,
    ),
    pattern(
      `^\\p{Lu}\\p{L}+ (?:é|tem|mora|vive|trabalha|se chama|chama-se|vem|odeia|está|saiu)(?![\\p{L}]) .*(?:\\p{Lu}\\p{L}+|\\d|alérgic|vegan|vegetarian|grávida|meu |minha |da empresa)`,
    ),
    loose(`(?:às|aos|toda|todo|todas as|todos os) (?:segunda|terça|quarta|quinta|sexta|sábado|domingo)s?(?![\\p{L}])`),
    loose(`^(?:dois|duas|três|quatro|cinco|\\d+) (?:filhos|filhas|gatos|cães|cachorros|irmãos|irmãs)(?![\\p{L}])`),
    loose(`^(?:antes )(?:fumava|morava|vivia|trabalhava|bebia|jogava)(?![\\p{L}])`),
    loose(
      `^(?:eu )?(?:parei|deixei|vendi|comprei|compramos|adotei|adotamos|comecei|começamos|nasci|me aposentei|casei|me casei|troquei|mudei (?:o|a|de)|me formei|tivemos|tive|voltei a|fiz|ganhei)(?![\\p{L}]) ?`,
    ),
    loose(`^(?:alérgic[oa] a|casad[oa] com|vegetarian[oa]|vegan[oa]|celíac[oa]|autónom[oa])(?![\\p{L}])`),
    loose(
      `^(?:aula|academia|consulta|treino|voo|reunião|casamento|festa|aluguel|renda|orçamento)(?: \\p{L}+){0,4} (?:é|agora é|mudou|fica|são|custa)(?![\\p{L}])`,
    ),
  ],
  labels: begins(
    `(?:meu |minha |meus |minhas |nov[oa] )*(?:nome|apelido|sobrenome|profissão|trabalho|cidade|morada|endereço|telefone|telemóvel|celular|número|aniversário|data de nascimento|idade|alergias?|medicação|remédios(?: que tomo)?|medicamentos|animais|filhos|filhas|família|hobbies|passatempos|tamanho|altura|peso|tipo sanguíneo|placa|matrícula|médic[oa]|dentista|café|orçamento(?: total)?|sobre mim|e-?mail|equipe|equipa|intolerâncias|comida favorita|cor favorita)`,
  ),
  families: [
    {
      family: "home",
      match: loose(
        `(?:^|[ ])(?:moro|moramos|vivo|vivemos|resido) (?:.{0,20} )?(?:em|no|na|nos|nas|num|numa|perto)(?![\\p{L}])`,
      ),
    },
    {
      family: "name",
      match: pattern(
        `^(?:[mM]e chamo|[cC]hamo-me|(?:[oO] )?[mM]eu nome é|(?:eu )?[sS]ou (?:a |o )\\p{Lu}\\p{L}+(?:,|$))`,
      ),
    },
    { family: "age", match: loose(`(?:^|[ ])tenho \\d{1,3} anos$`) },
    { family: "birthday", match: loose(`^(?:o )?meu aniversário`) },
    {
      family: "work",
      match: loose(`(?:^|[ ])trabalho (?:.{0,20} )?(?:em|no|na|de|como|para|com|numa|num)(?![\\p{L}])`),
    },
    {
      family: "partner",
      match: loose(
        `^(?:o |a )?(?:minha (?:mulher|esposa|namorada|companheira|noiva)|meu (?:marido|esposo|namorado|companheiro|noivo))(?![\\p{L}])`,
      ),
    },
    { family: "diet", match: loose(`(?:vegetarian[oa]|vegan[oa])`) },
  ],
  moved: [
    loose(
      `^(?<before>.*?)(?:eu )?(?:me mudei|mudei-me|nos mudamos|mudámo-nos|mudamos|mudei)(?: de casa)? (?:para|pra|pro) (?:o |a )?(?<place>.+)$`,
    ),
  ],
  home: "moro em {place}",
  since: "desde",
  company: pattern(`^(?<home>.*(?:moro|moramos|vivo|vivemos) .*(?:em|no|na) \\p{Lu}[\\p{L}-]+),? (?<rest>com .+)$`),
};
