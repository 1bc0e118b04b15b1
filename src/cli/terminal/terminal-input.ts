import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { trimEnd } from "../../language/trim-end.ts";

/** The keys of a terminal on their way to the line editor. */
export interface TerminalInput {
  /** What the line editor reads. */
  readonly stream: PassThrough & { isTTY: boolean; setRawMode: (isRaw: boolean) => unknown };
  /** Holds keys back, so that nothing is echoed into an answer; whole lines typed meanwhile are shown to `peek`. */
  hold(peek: (line: string) => boolean): void;
  /** Hands on what was typed meanwhile. */
  release(): void;
  /** A line as it was meant: with its newlines, and with what was pasted. */
  expand(line: string): string;
  close(): void;
}

/** Stands for a newline in the line that is edited. */
export const NEWLINE = "⏎";
const ESCAPE = "\u001B";
const PASTE_BEGINS = `${ESCAPE}[200~`;
const PASTE_ENDS = `${ESCAPE}[201~`;
// Alt-Enter, Shift-Enter (where the terminal tells it), Ctrl-J.
const NEWLINE_KEYS = new RegExp(String.raw`${ESCAPE}[\r\n]|${ESCAPE}\[13;[25]u|${ESCAPE}\[27;[25];13~|\n`, "g");
const INTERRUPT = "\u0003";
const CUT_MARKER = new RegExp(String.raw`${ESCAPE}(?:\[(?:2(?:0[01]?)?)?)?$`);
// More than this is shown as a note, and sent whole.
const LONGEST_PASTE = 400;
// The rest of a key that the terminal has begun to send comes at once.
const ALONE_MS = 50;
const MOST_SHOWN_LINES = 6;

/** Reads a terminal with bracketed paste on: what is pasted is one message, whatever its lines. */
export function openTerminalInput(input: NodeJS.ReadStream, output: NodeJS.WriteStream): TerminalInput {
  const decoder = new StringDecoder("utf8");
  const pastes = new Map<string, string>();
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => input.setRawMode(isRaw),
  });
  let rest = "";
  let pasted: string | undefined;
  let held: string | undefined;
  let next: string | undefined;
  let alone: NodeJS.Timeout | undefined;
  let peekAt: ((line: string) => boolean) | undefined;

  const send = (text: string): void => {
    if (text === "") return;
    if (next !== undefined) return void (next += text);
    if (held === undefined) return sendLine(text);
    if (text.includes(INTERRUPT)) return void stream.write(INTERRUPT);
    held += text;
    const [, line = ""] = /(?:^|\r)([^\r]*)\r$/.exec(held) ?? [];
    if (line !== "" && peekAt?.(line.trim())) held = held.slice(0, held.length - line.length - 1);
  };
  /** One line at a time: the answer to the first may hold back the next. */
  const sendLine = (text: string): void => {
    const end = text.indexOf("\r") + 1 || text.length;
    stream.write(text.slice(0, end));
    if (end === text.length) return;
    next = text.slice(end);
    setImmediate(() => {
      const more = next ?? "";
      next = undefined;
      send(more);
    });
  };
  const endPaste = (text: string): void => {
    const lines = trimEnd(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n"), /\n/);
    const count = lines.split("\n").length;
    if (lines.length <= LONGEST_PASTE && count <= MOST_SHOWN_LINES) return send(lines.replaceAll("\n", NEWLINE));
    const size = count > 1 ? `${count} lines` : `${lines.length} characters`;
    const token = `[pasted ${pastes.size + 1}: ${size}]`;
    pastes.set(token, lines);
    return send(token);
  };
  const take = (chunk: Buffer): void => {
    rest += decoder.write(chunk);
    for (;;) {
      const marker = pasted === undefined ? PASTE_BEGINS : PASTE_ENDS;
      const at = rest.indexOf(marker);
      if (at < 0) break;
      const before = rest.slice(0, at);
      rest = rest.slice(at + marker.length);
      if (pasted === undefined) {
        send(before.replaceAll(NEWLINE_KEYS, NEWLINE));
        pasted = "";
      } else {
        endPaste(pasted + before);
        pasted = undefined;
      }
    }
    // A marker may be cut in two; an escape that stays alone is the Escape key.
    const kept = cutMarker(rest);
    const whole = rest.slice(0, rest.length - kept.length);
    rest = kept;
    if (pasted === undefined) send(whole.replaceAll(NEWLINE_KEYS, NEWLINE));
    else pasted += whole;
    clearTimeout(alone);
    if (rest !== "" && pasted === undefined) alone = setTimeout(sendRest, ALONE_MS).unref();
  };
  const sendRest = (): void => {
    const keys = rest;
    rest = "";
    send(keys);
  };
  const end = (): void => void stream.end();
  input.on("data", take).on("end", end);
  output.write("\u001B[?2004h");
  return {
    stream,
    hold(peek) {
      held ??= "";
      peekAt = peek;
    },
    release() {
      const text = held ?? "";
      held = undefined;
      send(text);
    },
    expand: (line) =>
      line
        .replaceAll(/\[pasted \d+: \d+ (?:lines|characters)\]/g, (token) => pastes.get(token) ?? token)
        .replaceAll(NEWLINE, "\n"),
    close() {
      clearTimeout(alone);
      input.off("data", take).off("end", end);
      output.write("\u001B[?2004l");
      input.pause();
    },
  };
}

/** The beginning of a paste's marker at the end of what came so far. */
function cutMarker(text: string): string {
  return CUT_MARKER.exec(text)?.[0] ?? "";
}
