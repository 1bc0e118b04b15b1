import { isTableRow, renderTable } from "./markdown-table.ts";
import type { Style } from "./style.ts";
import { withoutControls } from "./style.ts";
import { createWordWrap } from "./word-wrap.ts";

/** Renders Markdown for a terminal as it streams in: each piece gives what can be shown by now. */
export interface MarkdownStream {
  push(piece: string): string;
  /** What was held back, and the end of every style. */
  end(): string;
}

const CODES = {
  bold: ["\u001B[1m", "\u001B[22m"],
  italic: ["\u001B[3m", "\u001B[23m"],
  code: ["\u001B[36m", "\u001B[39m"],
} as const;
type Span = keyof typeof CODES;

const FENCE = /^\s*(?:```|~~~)/;
// A line that may still become a heading, an item, a quote, a rule, a fence or a row of a table.
const UNDECIDED = /^(?:#{1,6}|>|[-*+_]{1,3}|[-*_\s]{1,20}|\d{1,3}[.)]?|[`~]{1,3}[^\n]*|\|[^\n]*)?$/;
const LONGEST_LINK = 500;

/** Makes a renderer for one answer, wrapped at `width`; without colours the text stays as it was written. */
export function createMarkdownStream(style: Style, width = Infinity): MarkdownStream {
  if (style.isPlain) return { push: (piece) => withoutControls(piece), end: () => "" };
  const spans = new Set<Span>();
  let held = "";
  let previous = "";
  let isLineOpen = false;
  let isHeading = false;
  let isFenced = false;
  let table: string[] = [];
  const wrap = Number.isFinite(width) ? createWordWrap(width) : { push: (text: string) => text, end: () => "" };

  const renderInline = (text: string): string => {
    const cell = createMarkdownStream(style);
    // Behind a character that begins no block.
    return `${cell.push(`.${text}`)}${cell.end()}`.replace(".", "");
  };
  const endTable = (): string => {
    if (table.length === 0) return "";
    const lines = table;
    table = [];
    const shown = renderTable(lines, style, width, renderInline);
    return `${shown ?? lines.map(renderInline).join("\n")}\n`;
  };

  const toggle = (span: Span): string => {
    const isOn = spans.delete(span);
    if (!isOn) spans.add(span);
    return CODES[span][isOn ? 1 : 0];
  };
  const closeSpans = (): string => {
    const closed = [...spans].map((span) => CODES[span][1]).join("");
    spans.clear();
    const heading = isHeading ? CODES.bold[1] : "";
    isHeading = false;
    return `${closed}${heading}`;
  };
  const inline = (text: string, isEnd: boolean): string => {
    let shown = "";
    let at = 0;
    while (at < text.length) {
      const step = readInline(text.slice(at), previous, spans, isEnd);
      if (step === "wait") break;
      shown += step.kind === "text" ? step.shown : toggle(step.span);
      at += step.length;
      previous = text.charAt(at - 1);
    }
    held = text.slice(at);
    return shown;
  };
  const openLine = (line: string): string => {
    isLineOpen = true;
    previous = "";
    const [lead, shown, heading] = readBlock(line, style);
    isHeading = heading;
    held = line.slice(lead.length);
    return `${shown}${heading ? CODES.bold[0] : ""}`;
  };
  const endLine = (line: string): string => {
    let shown = "";
    held = line;
    if (!isLineOpen) {
      if (FENCE.test(line)) {
        isFenced = !isFenced;
        held = "";
        return endTable();
      }
      if (isFenced) {
        held = "";
        return `  ${style.accent(line)}\n`;
      }
      if (isTableRow(line)) {
        table.push(line);
        held = "";
        return "";
      }
      shown += endTable() + wrap.push(openLine(line));
    }
    shown += wrap.push(`${inline(held, true)}${closeSpans()}\n`);
    held = "";
    isLineOpen = false;
    return shown;
  };
  return {
    push(piece) {
      held += withoutControls(piece);
      let shown = "";
      for (let at = held.indexOf("\n"); at >= 0; at = held.indexOf("\n")) {
        const rest = held.slice(at + 1);
        shown += endLine(held.slice(0, at));
        held = rest;
      }
      // Code lines are shown whole; other lines as soon as it is clear what they are.
      if (isFenced || (!isLineOpen && UNDECIDED.test(held.trim()))) return shown;
      if (!isLineOpen) shown += endTable() + wrap.push(openLine(held));
      return `${shown}${wrap.push(inline(held, false))}`;
    },
    end() {
      const last = held === "" && !isLineOpen ? "" : endLine(held);
      return `${last}${endTable()}${wrap.end()}`.replace(/\n$/, "");
    },
  };
}

/** What stands at the beginning of a line: how much of it, what is shown for it, whether it is a heading. */
function readBlock(line: string, style: Style): [string, string, boolean] {
  const heading = /^#{1,6}\s+/.exec(line);
  if (heading) return [heading[0], "", true];
  if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return [line, style.dim("─".repeat(24)), false];
  const bullet = /^(\s*)[-*+]\s+/.exec(line);
  if (bullet) return [bullet[0], `${bullet[1]}${style.accent("•")} `, false];
  const number = /^(\s*)(\d{1,3}[.)])\s+/.exec(line);
  if (number) return [number[0], `${number[1]}${style.accent(number[2] ?? "")} `, false];
  const quote = /^>\s?/.exec(line);
  if (quote) return [quote[0], `${style.dim("│")} `, false];
  return ["", "", false];
}

type Step = { kind: "text"; shown: string; length: number } | { kind: "span"; span: Span; length: number };

/** Reads the next piece within a line; "wait" where it depends on what comes next. */
function readInline(rest: string, previous: string, spans: ReadonlySet<Span>, isEnd: boolean): Step | "wait" {
  const [character = ""] = rest;
  const plain: Step = { kind: "text", shown: character, length: character.length };
  if (character === "`") return { kind: "span", span: "code", length: 1 };
  if (spans.has("code")) return plain;
  if (character === "\\") return readEscape(rest, isEnd);
  if (character === "[") return readLink(rest, isEnd) ?? plain;
  if (character !== "*" && character !== "_") return plain;
  if (rest.length < 3 && !isEnd) return "wait";
  const isDouble = rest.charAt(1) === character;
  const span: Span = isDouble ? "bold" : "italic";
  const length = isDouble ? 2 : 1;
  const next = rest.charAt(length);
  if (spans.has(span)) {
    const isClosing = character === "*" || !/[\p{L}\p{N}]/u.test(next);
    return isClosing ? { kind: "span", span, length } : plain;
  }
  // snake_case and 2 * 3 stay as they are.
  const isOpening = /\S/.test(next) && (character === "*" || !/[\p{L}\p{N}]/u.test(previous));
  return isOpening ? { kind: "span", span, length } : { kind: "text", shown: rest.slice(0, length), length };
}

function readEscape(rest: string, isEnd: boolean): Step | "wait" {
  if (rest.length < 2) return isEnd ? { kind: "text", shown: "\\", length: 1 } : "wait";
  const next = rest.charAt(1);
  if (/[\\`*_{}[\]()#+.!>~|-]/.test(next)) return { kind: "text", shown: next, length: 2 };
  return { kind: "text", shown: "\\", length: 1 };
}

function readLink(rest: string, isEnd: boolean): Step | "wait" | undefined {
  const link = /^\[([^\]\n]*)\]\(([^)\s]*)\)/.exec(rest);
  if (link) {
    const [whole, text = "", address = ""] = link;
    const shown = text === address ? `\u001B[4m${text}\u001B[24m` : `\u001B[4m${text}\u001B[24m (${address})`;
    return { kind: "text", shown, length: whole.length };
  }
  const isOpen = /^\[[^\]\n]*(?:\](?:\([^)\s]*)?)?$/.test(rest);
  return isOpen && !isEnd && rest.length < LONGEST_LINK ? "wait" : undefined;
}
