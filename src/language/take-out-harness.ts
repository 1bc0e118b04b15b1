/** A text with what is the speaker's own apart from what the program around the model put beside it. */
export interface TakenOut {
  own: string;
  added: string;
}

/** The words with every block and line of a program taken out; as they were where there is none. */
export function takeOutHarness(text: string): TakenOut {
  if (!MAY_HOLD.test(text)) return { own: text, added: "" };
  const wrapped = unwrap(text);
  if (wrapped) return wrapped;
  if (OPENINGS.some((opening) => opening.test(text.trimStart()))) return { own: "", added: text };
  const added: string[] = [];
  const take = (found: string): string => {
    added.push(found);
    return "";
  };
  let own = takeTags(text, take);
  for (const block of BLOCKS) own = takeBlocks(own, take, block);
  for (const pattern of [...LONE_BLOCKS, ...LINES]) own = own.replaceAll(pattern, take);
  return added.length === 0 ? { own: text, added: "" } : { own: taskOf(own.trim()), added: added.join("\n") };
}

/** Programs that add much put the user's words between tags as well: where nothing but tags is around, those are all. */
function unwrap(text: string): TakenOut | undefined {
  const own: string[] = [];
  const around = takeTags(text, (found) => void own.push(found), isUserTag).trim();
  if (
    own.length === 0 ||
    takeTags(
      around,
      () => undefined,
      () => true,
    ).trim() !== ""
  )
    return undefined;
  return { own: own.map((found) => found.replace(/^<[^>]*>|<[^>]*>$/g, "").trim()).join("\n"), added: around };
}

function isUserTag(name: string): boolean {
  return /^user[_-]?(?:query|request|message|prompt|input|task)$/i.test(name);
}

/** What is left of a message whose program named the first one a task. */
function taskOf(text: string): string {
  return /^<(task|feedback)>((?:(?!<\/?\1>)[\s\S])*)<\/\1>$/.exec(text)?.[2]?.trim() ?? text;
}

/** The user's own words in a message; nothing may remain. */
export function wordsWithoutHarness(text: string): string {
  return OWN_REQUESTS.test(text.trimStart()) ? "" : takeOutHarness(text).own;
}

/** Programs name what they add in two words or more, of which one is of this kind; people who write tags use one. */
const TAG_WORDS =
  "system|reminder|environment|env|context|details|date|datetime|time|timezone|instructions?|runtime|metadata|workspace|permissions?|skills?|hook|ide|editor|command|stdout|stderr|caveat|info|mode|aborted|project|layout|attached|attachments?|repo|repository|git|cwd|os|device|locale|selection|opened|policy|notification|memory|memories|recall|bash";
/** Words of the same kind that people use in tags as well: they count where the block has lines of its own. */
const MORE_TAG_WORDS =
  "agents?|subagent|teammate|team|notice|note|model|plugins?|realtime|transcripts?|rollout|snapshot|background|output|session|compaction|summary|checkpoint|mcp|diagnostics|coordinator|available|current|conversation|persisted|payload|references|tools?|tasks|todo|rules|viewed|additional";
const OWN_LINES_TAG = new RegExp(`(?:^|[-_])(?:${MORE_TAG_WORDS})(?=[-_]|$)`);
const COMPOUND_TAG = new RegExp(`(?:^|[-_])(?:${TAG_WORDS})(?=[-_]|$)`);
/** How a block begins and ends; where both have a name, it is the same. */
interface Block {
  opens: RegExp;
  closes: RegExp;
}
/** Blocks that are marked by something else than a tag; what nothing closes is left alone. */
const BLOCKS: readonly Block[] = [
  {
    opens: /<<<\s{0,20}BEGIN[_ ]([A-Z_ ]{0,60}(?:CONTEXT|METADATA|RUNTIME|MEMORY|SYSTEM)[A-Z_ ]{0,60})>>>/g,
    closes: /<<<\s{0,20}END[_ ]([A-Z_ ]{0,60}(?:CONTEXT|METADATA|RUNTIME|MEMORY|SYSTEM)[A-Z_ ]{0,60})>>>/g,
  },
  {
    opens: /\[?(?:BEGIN[_ ])?INTERNAL_CONTEXT\]?:?/g,
    closes: /\[?(?:END[_ ]|\/)INTERNAL_CONTEXT\]?/g,
  },
  // Our own, come back with the client's history.
  { opens: /\[Recalled from memory[^\n]{0,500}\n(?=<passage)/g, closes: /<\/passage>(?!\s*<passage)\s*\]?/g },
  // Metadata that says of itself what it is, with its JSON.
  {
    opens: /^[A-Z][\w '/-]{0,60}\((?:untrusted|trusted)[^)\n]{0,60}\):?\n```(?:json)?\n/gm,
    closes: /\n```$/gm,
  },
];
/** Blocks that reach to the end of the message where nothing closes them, or can stand in one place alone. */
const LONE_BLOCKS = [
  /\[Recalled from memory: nothing on record is about this\.\]/g,
  // What a program hangs behind a message that names files, or puts before one that comes from an editor.
  /^--- Content from referenced files ---$[\s\S]*?(?:^--- End of content ---$|(?![\s\S]))/gm,
  /(?<![\s\S])# Context from my IDE[^\n]*\n[\s\S]*?^##+ My request for [^\n]*\n/gm,
];
/** Lines that hold facts of the run and no words. */
const LINES = [
  /^Runtime:\s[^\n]*[=|][^\n]*$/gm,
  /^INTERNAL_CONTEXT\b[^\n]*$/gm,
  /^\[Request interrupted by user[^\]\n]*\]$/gm,
  // The time before a message, as chat channels put it there.
  /^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]{0,20}\]/g,
  /^\[(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|Matrix|Teams|MSTeams|Line|WebChat|Email|SMS|GoogleChat|IRC|Mattermost|Feishu|Zalo|Nostr)\b[^\]\n]{0,80}\d{4}-\d{2}-\d{2}[^\]\n]{0,30}\]/gi,
  /^System: \[\d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]{0,20}\][^\n]*$/gm,
  /^Current (?:date|time|datetime)(?: and time)?:\s[^\n]{0,80}$/gim,
];
/** Messages that are the program's from their first words on: what stands for a conversation that was cut. */
const OPENINGS = [
  /^This session is being continued from a previous conversation/i,
  /^Another language model started to solve this problem/i,
  /^The conversation history before this point was (?:summari[sz]ed|compacted)\b/i,
  /^Caveat: The messages below were generated by the user while running local commands/i,
  /^# AGENTS\.md instructions\b/i,
  /^This is the [\w .-]{1,40}\. We are setting up the context for our chat/i,
  /^\[(?:Conversation|Context|Session) summary\b/i,
  /^Continue from where you left off\.$/,
  /^\[ERROR\] You did not use a tool\b/i,
  /^\[TASK RESUMPTION\]/i,
];

// Most of what is said has none of it, which one look tells: each pattern above, and each tag, has one of these in it.
const MAY_HOLD =
  /[<[]|```|Runtime:|Current (?:date|time)|(?:--- Content|# Context) from|INTERNAL_CONTEXT|# AGENTS|^\s*(?:This|Another|The conversation|Caveat|Continue from)/i;

// Requests that a client sends on its own behalf; nothing in them is the user's.
const OWN_REQUESTS =
  /^(?:This session is being continued from a previous conversation|(?:#+ *Task:?\s+)?(?:Please )?(?:Generate|Create|Write|Suggest)\b[^.\n]{0,60}\b(?:title|tags|follow-up questions|queries)\b[^.\n]{0,80}\b(?:conversation|chat|history|thread|session)\b|Your task is to create a detailed summary of the conversation|\[SUGGESTION MODE)/iu;

/** Takes out what stands between tags, those of programs where nothing else is said; a tag that nothing closes is left alone. */
function takeTags(text: string, take: (found: string) => void, isWanted = isHarnessTag): string {
  const isMeant = (name: string, index: number, end: number) =>
    isWanted(name, isLineStart(text, Math.max(end, index - 200), index));
  return takeBlocks(text, take, { opens: TAG_OPENS, closes: TAG_CLOSES }, isMeant);
}

const TAG_OPENS = /<([A-Za-z][\w-]*)(?:\s[^<>]{0,500})?>/g;
const TAG_CLOSES = /<\/([A-Za-z][\w-]*)>/g;

function takeBlocks(
  text: string,
  take: (found: string) => void,
  { opens, closes }: Block,
  isMeant: (name: string, index: number, end: number) => boolean = () => true,
): string {
  const kept: string[] = [];
  let findEnd: ((name: string, from: number) => number | undefined) | undefined;
  let end = 0;
  for (const { 0: opening, 1: name = "", index } of text.matchAll(opens)) {
    if (index < end || !isMeant(name, index, end)) continue;
    findEnd ??= createEnds(text, closes);
    const close = findEnd(name, index + opening.length);
    if (close === undefined) continue;
    kept.push(text.slice(end, index));
    end = close;
    take(text.slice(index, end));
  }
  return kept.join("") + text.slice(end);
}

/**
 * Finds where the first closing of a name ends, from a place on that never goes back. The text is looked through once,
 * so that one full of openings takes no longer than another.
 */
function createEnds(text: string, closes: RegExp): (name: string, from: number) => number | undefined {
  const closings = new Map<string, { at: number; end: number }[]>();
  for (const { 0: closing, 1: name = "", index: at } of text.matchAll(closes)) {
    const known = closings.get(name);
    const found = { at, end: at + closing.length };
    if (known) known.push(found);
    else closings.set(name, [found]);
  }
  const passed = new Map<string, number>();
  return (name, from) => {
    const known = closings.get(name) ?? [];
    let next = passed.get(name) ?? 0;
    while ((known[next]?.at ?? from) < from) next++;
    passed.set(name, next);
    return known[next]?.end;
  };
}

/** Whether nothing but spaces stands between the beginning of a line, or of what is looked at, and a place. */
function isLineStart(text: string, from: number, index: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(from, index));
}

function isHarnessTag(name: string, isAlone: boolean): boolean {
  // camelCase is two words as well; what is shouted is never a person's own tag.
  const spelled = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  if (/^[A-Z]{4,}$/.test(name)) return COMPOUND_TAG.test(spelled);
  return /[-_]/.test(spelled) && (COMPOUND_TAG.test(spelled) || (isAlone && OWN_LINES_TAG.test(spelled)));
}
