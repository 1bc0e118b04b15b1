/** What a request asks for, as far as it tells who asks. */
export interface RequestShape {
  /** The instructions before the conversation. */
  system: string;
  /** The newest words of the user's side. */
  newest: string;
  hasTools: boolean;
  /** Whether the model has said something in it already. */
  hasAnswers: boolean;
  maxTokens: number | undefined;
}

/** What programs ask for beside the conversation: a name for it, tags, what to ask next, what to remember of it. */
const VERB =
  "\\b(?:generate|create|write|provide|produce|come up with|give|make|extract|suggest|determine|decide|analy[sz]e|detect|classify|summari[sz]e|describe|compare|reply|respond|return|output)\\b";
const WORK =
  "\\b(?:titles?|slug|headline|tags|follow[- ]?up questions?|follow[- ]?ups|(?:new )?(?:conversation )?topics?|search quer(?:y|ies))\\b";
/** These mean a chore only where the order is a program's beyond doubt. */
const MORE_WORK =
  "\\b(?:name|label|description|emoji|keywords|quer(?:y|ies)|autocompletion|commit messages?|facts|preferences|memories|new summary)\\b";
const ABOUT = "\\b(?:conversations?|chats?|sessions?|threads?|messages?|discussions?|dialogues?|chat history)\\b";
const near = (work: string): RegExp[] => [
  new RegExp(`${VERB}[^.\\n]{0,120}${work}[\\s\\S]{0,120}${ABOUT}`, "i"),
  new RegExp(`${VERB}[^.\\n]{0,120}${ABOUT}[^.\\n]{0,120}${work}`, "i"),
];
const CHORES = [
  ...near(WORK),
  /\b(?:conversation|chat|session|thread)[- ]title generator\b|\byou are a title generator\b/i,
];
const MORE_CHORES = [
  ...near(MORE_WORK),
  new RegExp(`${ABOUT}[\\s\\S]{0,160}${VERB}[^.\\n]{0,60}${MORE_WORK}`, "i"),
  /\bcommit messages?\b[^.\n]{0,40}\bdiffs?\b/i,
  /\b(?:new|extracted) facts\b[^.\n]{0,60}\b(?:existing|old|stored) memor(?:y|ies)\b/i,
  /\b(?:you are|act as) an? (?:auto-?complet\w+|memory (?:manager|organi[sz]er|extractor))\b/i,
];
/** Programs say which form the answer must have. */
const FORM =
  /\b(?:words?|characters|JSON|quotes|punctuation|markdown|explanations?|sentence[- ]case|new summary|only (?:the|return|respond|output|reply)|(?:return|respond|output|reply) (?:only|with)|message only)\b/i;
/** A title for a conversation, in other languages: the work, what it is about, and the form. */
const ELSEWHERE = [
  /titel|titre|t[íi]tulo|titolo|tytuł|заголовок|название|标题|標題|タイトル|제목/i,
  /unterhaltung|gespr[äe]ch|gesprek|chat|conversa|rozmow|разговор|диалог|беседы|会话|會話|对话|聊天|会話|대화/i,
  /\bnur\b|ohne|höchstens|uniquement|sans |maximum|\bsolo\b|solamente|\bsin\b|apenas|\bsem\b|senza|soltanto|alleen|zonder|tylko|\bbez\b|только|\bбез\b|不要|只返回|以内|だけ|のみ|만 /i,
];
/** Who writes of himself is a person. */
const PERSON =
  /(?<![\p{L}\p{N}'])(?:I|I'm|I've|my|me|mine|we|our|ich|mir|mich|mein\p{L}*|je|mon|ma|mes|moi|yo|mi|mis|eu|meu|minha|io|mio|mia|mijn|ik|moj\p{L}*|мне|мой|моей|меня|моего)(?![\p{L}\p{N}])|我的|给我|私の|내가|나의/u;
/** What an order is about, where it comes along: a program's transcript, or marks that it puts around it. */
const PAYLOAD =
  /^[^\S\n]{0,20}(?:[-*] )?(?:<(?:chat_history|conversation|messages?|transcript|text|history)>|#+ *(?:chat|conversation) history|(?:user|human|assistant|ai|nutzer|assistent|utilisateur|usuario|用户|助手)\s{0,20}[:：])|"""/im;
/** Nobody types this much to have a chat named; fewer signs say as much where a sign is a word. */
const SHORTEST_ORDER = 120;
const SHORTEST_SIGNS = 20;
/** An order stands at the beginning. */
const ORDER_LENGTH = 3000;
const SYSTEM_ORDER_LENGTH = 800;

/** Orders to put a conversation, or the memory of it, in order before it is cut. */
const UPKEEP = [
  /\bcontext checkpoint compaction\b/i,
  /\bpre-compaction memory flush\b/i,
  /\b(?:store|save|write|record) (?:any )?(?:durable|lasting|long-term) memor(?:y|ies)\b/i,
  /\byour task is to (?:create|write|produce) (?:a|an|the) (?:\w+ ){0,3}summary of [^.\n]{0,60}\bconversation\b/i,
  /\b(?:reply|respond) (?:with )?(?:only |exactly )?(?:NO_REPLY|HEARTBEAT_OK)\b/,
  /\bHEARTBEAT\.md\b[\s\S]{0,400}\bHEARTBEAT_OK\b/,
  /\bwho should (?:\w+ )?(?:speak|talk) next\b[\s\S]{0,300}\b(?:next_speaker|JSON)\b/i,
  /\b(?:provide|write|create|generate|produce)\b[^.\n]{0,60}\bsummary\b[^.\n]{0,80}\b(?:hand ?-?off|resume|continu(?:e|ing)|so far|compact(?:ion|ed)?)\b/i,
];
/** Orders to sum a conversation up: the work, what it is about, and a sign that a program goes on with the result. */
const SUMMING_UP = [
  /\b(?:create|write|generate|produce|provide|update|give|summari[sz]e)\b/i,
  /\b(?:this|the|new|recent|past|a|above) (?:\w+ ){0,2}(?:conversation|chat session|transcript|chat history)\b|\bsession recap now\b|<\w*(?:snapshot|summary)\w*>/i,
  /\banother (?:coding agent|instance|llm|model)\b|\bfuture (?:sessions?|context)\b|\bretained\b|\breturning later\b|\bscratchpad\b|\banchored\b|\bpull request description\b|\brecap now\b|\b(?:recent|earlier) portion\b|\bcontext (?:window|checkpoint)\b|\bwithout using any tools\b|\bsummary will be (?:placed|used)\b|\bwill be replaced (?:with|by) (?:this|the|your) summary\b|\bmax(?:imum)?\.? \d+ characters\b|\b(?:previous|existing) summary\b[\s\S]{0,60}\bnew\b/i,
];
/** Orders to look after a memory of the program's own. */
const MEMORY_UPKEEP =
  /\b(?:you are|act(?:ing)? as|perform\w*|run)\b[^.\n]{0,60}\b(?:memory (?:extraction|consolidation|maintenance|selection)\b|(?:pass|sweep) over\b[^.\n]{0,30}\bmemor(?:y|ies)\b)/i;
/** Who the model is to be, where a program has it sum up, name or look through conversations, and nothing else. */
const CHORE_ROLE = [
  /\bsummari[sz](?:e|es|ing|ation of) (?:\w+ ){0,2}(?:conversations?|chats?|sessions?|context)\b/i,
  /\b(?:context|conversation|chat|session|history|state) (?:summary\b|summari[sz]\w+|compress\w+|compact\w+)/i,
  /\b(?:naming|titling) (?:\w+ ){0,3}(?:conversations?|chats?|sessions?)\b|\bselecting memories\b/i,
  /\bextract\w* (?:\w+ ){0,3}memor(?:y|ies)\b/i,
];
const IS_ROLE = /^\s*(?:#[^\n]*\n+)?(?:you are|act as|your (?:task|job|goal|role))\b/i;
const MORE_THAN_CHORES =
  /\b(?:who|that|which) can\b|\balso\b|(?:,|\band) (?:\w+ )?(?:answers?|helps?|translates?|writes?|explains?|chats?|talks?)\b/i;
const SHORTEST_UPKEEP = 60;
const LONGEST_CHORE = 300;

/**
 * Whether a program asks for itself, beside the conversation: to name it, to sum it up, to put its memory in order, or
 * only to see whether someone answers. Nothing of it was said by the user.
 */
export function isHousekeeping({ system, newest, hasTools, hasAnswers, maxTokens }: RequestShape): boolean {
  // One token answers nothing; it shows that the way is open.
  if (maxTokens !== undefined && maxTokens <= 1) return true;
  if (newest.length >= SHORTEST_UPKEEP && isUpkeep(newest)) return true;
  if (hasTools) return false;
  // Who is told to sum up may be shown all of the conversation.
  if (isChoreRole(system)) return true;
  // Any other chore comes alone: it has no tools, and no answer goes before it.
  if (hasAnswers) return false;
  return isSystemChore(system) || isChore(newest);
}

function isUpkeep(text: string): boolean {
  if (UPKEEP.some((pattern) => pattern.test(text))) return !isAsked(text);
  const at = text.search(/<\/(?:conversation|chat_history|history|transcript|messages?)>/i);
  const order = (at < 0 ? text : text.slice(at)).slice(0, ORDER_LENGTH);
  if (PERSON.test(order)) return false;
  return MEMORY_UPKEEP.test(order) || SUMMING_UP.every((part) => part.test(order));
}

/** The first words of the instructions tell who the model is to be. */
function isChoreRole(system: string): boolean {
  const [role = ""] =
    /^\s*(?:[^.\n]|\.(?!\s)){0,300}(?:[.\n]\s*(?:your (?:task|job|goal|role)|you are)\b[^.\n]{0,200})?/i.exec(system) ??
    [];
  return IS_ROLE.test(role) && !MORE_THAN_CHORES.test(role) && CHORE_ROLE.some((part) => part.test(role));
}

/** A person who asks for the same says so of himself, in a few words. */
function isAsked(text: string): boolean {
  return text.length < LONGEST_CHORE && PERSON.test(text) && !/\b(?:NO_REPLY|HEARTBEAT)/.test(text);
}

/** Instructions are a program's: here the order may ask for anything that programs ask for. */
function isSystemChore(system: string): boolean {
  const order = system.slice(0, SYSTEM_ORDER_LENGTH);
  return isOrder(order, [...CHORES, ...MORE_CHORES], 60);
}

/** Within one order: the work, what it is about, and the form of the answer; and nobody who speaks of himself. */
function isChore(text: string): boolean {
  const at = text.search(PAYLOAD);
  const order = (at < 0 ? text : text.slice(0, at)).slice(0, ORDER_LENGTH);
  if (PERSON.test(order)) return false;
  const isProgram =
    at >= 0 || /^#+ *Task\b/i.test(text) || /\b(?:at most )?\d+[- ]?(?:words?|characters)\b/i.test(order);
  return isOrder(order, isProgram ? [...CHORES, ...MORE_CHORES] : CHORES, at < 0 ? SHORTEST_ORDER : SHORTEST_ORDER / 2);
}

function isOrder(order: string, chores: readonly RegExp[], shortest: number): boolean {
  if (order.length >= shortest && FORM.test(order) && chores.some((chore) => chore.test(order))) return true;
  return order.trim().length >= SHORTEST_SIGNS && ELSEWHERE.every((part) => part.test(order));
}
