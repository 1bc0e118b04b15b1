import { endsInQuestionMark } from "../language/question-mark.ts";
import { isAsking } from "./is-asking.ts";
import type { Table } from "./table.ts";

/** A line of a message that is the writer's own; an item of a list has what stands above the list. */
export interface OwnLine {
  text: string;
  header?: string;
}

/** Stands where a quotation was. */
export const QUOTED = "⟦⟧";

const LOG_LINE =
  /^\s*(?:\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s+\S+:|\S+ \d{1,2}:\d{2}(?::\d{2})?\s+\S|Traceback|File "|\w*Error:|at \S+\(|(?:INFO|WARN|ERROR|DEBUG)\b)/;
const MAIL_HEADER =
  /^\s*(?:from|to|cc|subject|date|sent|von|an|betreff|gesendet|de|para|asunto|assunto|enviado|à|objet|envoyé|da|a|oggetto|inviato|van|aan|onderwerp|发件人|收件人|主题|差出人|宛先|件名)\s*[:：]\s*\S/i;
const GREETING =
  /^\s*(?:dear|hi|hello|hey|hallo|liebe[rs]?|sehr geehrte[rs]?|guten tag|hola|estimad[oa]s?|querid[oa]s?|bonjour|cher|chère|salut|olá|oi|prezad[oa]s?|car[oa]|caro|gentile|ciao|beste|geachte|您好|你好|拝啓)\b[^.!?:]{0,40}[,!，]/i;
const SIGN_OFF =
  /(?:^\s*|[.!?]\s+)(?:best|best wishes|kind regards|regards|cheers|yours|love|sincerely|gruß|grüße|viele grüße|mit freundlichen grüßen|lg|saludos|un abrazo|cordialement|bien à vous|abraços|atenciosamente|cordiali saluti|saluti|groet|groeten|met vriendelijke groet)[,.!]?\s*(?:$|\p{Lu})/iu;
const SPEAKER = /^\s*(\p{Lu}[\p{L}.]{1,20}(?: \p{Lu}\p{L}+)?)\s*[:：]\s+\S/u;
const BULLET = /^\s*(?:[-*•+]|\d{1,2}[.)])\s+/;
const LABELLED = /^\s*[\p{L} ]{2,24}[:：=]\s*\S/u;

// Keys, hashes, base64: no words, and slow to look for words in.
const ENDLESS = /[\u0021-\u007E\u00C0-\u024F]{120,}/g;

/** What of a message its writer says in their own voice: no code, no quoted lines, no mail, transcript or other paste. */
export function readOwnWords(text: string, table: Table): OwnLine[] {
  const bare = text
    .replaceAll(ENDLESS, QUOTED)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/`([^`\n]{1,30})`/g, "$1")
    .replaceAll(/`[^`\n]*`/g, QUOTED);
  const lines = bare.split(/\r?\n/).filter((line) => !/^\s*>/.test(line) && line.trim() !== "");
  return withLists(beforePaste(lines, table), table).map((line) => ({ ...line, text: withoutQuotations(line.text) }));
}

/** The lines up to where someone else's words begin. */
function beforePaste(lines: readonly string[], table: Table): string[] {
  const speakers = lines.flatMap((line) => SPEAKER.exec(line)?.[1]?.toLowerCase() ?? []);
  const isTranscript = speakers.length > 2 && new Set(speakers).size < speakers.length;
  const isMail = lines.some((line) => SIGN_OFF.test(line)) || lines.filter((line) => MAIL_HEADER.test(line)).length > 1;
  const own: string[] = [];
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    if (/^\s*(?:-{3,}|_{3,}|={3,}|\*{3,})\s*$/.test(line)) break;
    if (LOG_LINE.test(line)) continue;
    if (isTranscript && SPEAKER.test(line)) continue;
    if (isMail && (MAIL_HEADER.test(line) || GREETING.test(line) || SIGN_OFF.test(line))) break;
    if (index > 0 && GREETING.test(line)) break;
    own.push(line);
    if (isLast) break;
    // What a question, an order or "here is the mail" is about comes below it.
    const isAbout =
      endsInQuestionMark(line) || isAsking(line.trim().toLowerCase(), table) || table.handles.test(line.trim());
    const next = lines[index + 1] ?? "";
    if (table.pastes.test(line) || (isAbout && !BULLET.test(next))) break;
    if (/^\s{2,}\S/.test(next) && !BULLET.test(next)) break;
  }
  return own;
}

/** Items get the line above them that introduces them. */
function withLists(lines: readonly string[], table: Table): OwnLine[] {
  const out: OwnLine[] = [];
  let header: string | undefined;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    const isItem = BULLET.test(line) || (header !== undefined && LABELLED.test(line));
    if (isItem && header !== undefined) {
      out.push({ text: line.replace(BULLET, ""), header });
      continue;
    }
    const opensList =
      next !== undefined &&
      (BULLET.test(next) || (LABELLED.test(next) && (/[:：]\s*$/.test(line) || line.split(" ").length < 5)));
    if (opensList) {
      header = line.replace(/[:：]\s*$/, "").trim();
      // A list of someone else's, or a shopping list, is nothing to keep.
      if (table.pastes.test(line)) return out;
      continue;
    }
    header = undefined;
    out.push({ text: line.replace(BULLET, "") });
  }
  return out;
}

const QUOTATIONS = [
  /"([^"]*)"/g,
  /“([^“”]*)”/g,
  /„([^„“”"]*)[“”"]/g,
  /«([^«»]*)»/g,
  /「([^「」]*)」/g,
  /『([^『』]*)』/g,
  /‘([^‘’]{12,})’/g,
];

/** Takes quotations out; a name or a title in quotation marks stays. */
function withoutQuotations(text: string): string {
  let bare = text;
  for (const marks of QUOTATIONS) {
    bare = bare.replaceAll(marks, (_, inner: string) => (isTitle(inner) ? inner : QUOTED));
  }
  return bare;
}

function isTitle(inner: string): boolean {
  const words = inner.trim().split(/\s+/);
  return (
    /^\p{Lu}|^\d/u.test(inner.trim()) && words.length <= 4 && !/[.!?,。！？，]/u.test(inner) && !/^I\b/.test(inner)
  );
}
