import { isStopWord } from "../language/stop-words.ts";

/**
 * A question without the words that only say how it should be answered: "give me a summary of", "in the order in which I
 * brought it up", "mention five items". They are rare in talk, so that they would outweigh what it is about.
 */
export function withoutFrame(question: string): string {
  const rest = FRAMES.reduce((text, frame) => text.replace(frame, " "), question);
  return hasTellingWord(rest) ? rest.replaceAll(/\s+/g, " ").trim() : question;
}

/** Whether enough is left to look for. */
function hasTellingWord(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}{3,}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{2}/gu) ?? [];
  return words.some((word) => !isStopWord(word, "en"));
}

const SIZE =
  "(?:(?:brief|short|quick|clear|complete|comprehensive|detailed|thorough|full|concise|good|step-by-step|kurze|genaue|vollständige|breve|completo|completa|detallado|court|complet|détaillé)[, ]{1,5}(?:and )?){0,8}";
const ACCOUNT =
  "(?:summary|overview|recap|rundown|outline|account|list|timeline|breakdown|Zusammenfassung|Überblick|Übersicht|resumen|lista|résumé|aperçu|resumo|riassunto|elenco|samenvatting|overzicht)";
const TALK =
  "(?:conversations?|discussions?|chats?|sessions?|messages?|talks?|exchanges?|requests?|Gespräche?n?|conversacion(?:es)?|conversa(?:s|ções)?|conversazioni|gesprekken)";

const FRAMES: readonly RegExp[] = [
  /\b(?:can|could|would|will) you (?:please )?(?:help me (?:to )?(?:understand|remember|see)|give me|provide(?: me with)?|list(?: for me)?|walk me through|show me|tell me|explain(?: to me)?|describe|summari[sz]e|recap|remind me(?: of| about)?|go over|outline)\b/gi,
  /^(?:please )?(?:give me|provide|list|walk me through|show me|tell me|explain|describe|summari[sz]e|recap|remind me (?:of|about)|outline|fasse|nenne|sag mir|resume|dime|résume|dis-moi|resuma|riassumi|dimmi|vat|vertel me)\b/gi,
  new RegExp(
    `\\b(?:an? |the |eine[rn]? |un[ae]? )?${SIZE}${ACCOUNT} (?:of|on|about|über|von|de|sobre|di|van|der|des)\\b(?: (?:how|what|everything|all)\\b)?`,
    "gi",
  ),
  /\b(?:in )?(?:the )?(?:chronological )?order (?:in which|that|how)\b(?: (?:i|we)(?:['’]ve)? (?:brought (?:them )?up|mentioned|raised|discussed|talked about|asked about|covered)\b)?/gi,
  /\b(?:i|we)(?:['’]ve| have)? (?:brought up|mentioned|raised|discussed|talked about|asked (?:you )?about|covered|gone over|said)\b/gi,
  /\b(?:did|have|had) (?:i|we) (?:ever )?(?:say|said|mention(?:ed)?|tell you|told you|bring up|brought up|talk(?:ed)? about|discuss(?:ed)?)\b(?: that\b)?/gi,
  /\b(?:did|would|do|have|had) you (?:recommend(?:ed)?|suggest(?:ed)?|advise[d]?|tell me|told me|propose[d]?)\b(?: (?:that )?i\b)?/gi,
  /\b(?:different|various|several|key|main) (?:aspects|topics|points)(?: (?:of|about|related to|regarding|in))?\b/gi,
  new RegExp(
    `\\b(?:throughout|across|during|over|through|in|based on|from|von|in|durante|en|pendant|dans|nelle|in) (?:all (?:of )?)?(?:our|my|the|these|unseren?|meinen?|nuestras|mis|nos|mes|nossas|nostre|onze) (?:recent |past |previous |earlier |various )?${TALK}\\b`,
    "gi",
  ),
  /[,(]?\s{0,20}\b(?:all )?in (?:chronological )?order\b/gi,
  /\(?\bmention (?:only|just|exactly)?\b[^.()]{0,200}\b(?:items?|points?|things)\b(?: in order)?\)?/gi,
  /\b(?:so far|over time|from (?:the )?(?:start|beginning) to (?:the )?(?:end|finish))\b/gi,
  /\bi['’]?(?:m| am) (?:looking|planning|trying|hoping|thinking of|about|going|working on)(?: to)?\b/gi,
  /请(?:帮我|给我)?(?:总结|概述|列出|说明|介绍)(?:一下)?|按(?:时间|先后)?顺序/gu,
];
