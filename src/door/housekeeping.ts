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

/** What programs ask for beside the conversation: a name for it, tags, what to ask next, whether its topic is new. */
const VERB =
  "\\b(?:generate|create|write|provide|produce|come up with|give|extract|suggest|determine|analy[sz]e|detect|classify|summari[sz]e)\\b";
const WORK =
  "\\b(?:titles?|slug|headline|tags|follow[- ]?up questions?|follow[- ]?ups|(?:new )?(?:conversation )?topics?)\\b";
const ABOUT = "\\b(?:conversations?|chats?|sessions?|threads?|messages?|discussions?|dialogues?|chat history)\\b";
const CHORES = [
  new RegExp(`${VERB}[^.\\n]{0,120}${WORK}[\\s\\S]{0,120}${ABOUT}`, "i"),
  new RegExp(`${VERB}[^.\\n]{0,120}${ABOUT}[^.\\n]{0,120}${WORK}`, "i"),
  /\b(?:conversation|chat|session|thread)[- ]title generator\b|\byou are a title generator\b/i,
];
/** Programs say which form the answer must have. */
const FORM =
  /\b(?:words?|characters|JSON|quotes|punctuation|markdown|explanations?|sentence[- ]case|only (?:the|return|respond|output|reply)|(?:return|respond|output|reply) (?:only|with))\b/i;
/** Nobody types this much to have a chat named. */
const SHORTEST_ORDER = 120;

/** Orders to put a conversation, or the memory of it, in order before it is cut. */
const UPKEEP = [
  /\bcontext checkpoint compaction\b/i,
  /\bpre-compaction memory flush\b/i,
  /\b(?:store|save|write|record) (?:any )?(?:durable|lasting|long-term) memor(?:y|ies)\b/i,
  /\byour task is to create a detailed summary of (?:the|our|this) conversation\b/i,
  /\b(?:reply|respond) (?:with )?(?:only |exactly )?(?:NO_REPLY|HEARTBEAT_OK)\b/,
  /\bHEARTBEAT\.md\b[\s\S]{0,400}\bHEARTBEAT_OK\b/,
  /\b(?:provide|write|create|generate|produce)\b[^.\n]{0,60}\bsummary\b[^.\n]{0,80}\b(?:hand ?-?off|resume|continu(?:e|ing)|so far|compact(?:ion|ed)?)\b/i,
];
const SHORTEST_UPKEEP = 60;

/**
 * Whether a program asks for itself, beside the conversation: to name it, to sum it up, to put its memory in order, or
 * only to see whether someone answers. Nothing of it was said by the user.
 */
export function isHousekeeping({ system, newest, hasTools, hasAnswers, maxTokens }: RequestShape): boolean {
  // One token answers nothing; it shows that the way is open.
  if (maxTokens !== undefined && maxTokens <= 1) return true;
  if (newest.length >= SHORTEST_UPKEEP && UPKEEP.some((pattern) => pattern.test(newest))) return true;
  // A chore comes alone: it has no tools, and no answer goes before it.
  if (hasTools || hasAnswers) return false;
  return [system, newest].some(isChore);
}

/** Within one order: the work, what it is about, and the form of the answer. */
function isChore(text: string): boolean {
  const order = text.slice(0, 3000);
  return order.length >= SHORTEST_ORDER && FORM.test(order) && CHORES.some((chore) => chore.test(order));
}
