import type { ToolEvent, TurnResult } from "../../agent/turn.ts";
import { shorten, showInvisible, showJson } from "../../visible-text.ts";
import { createMarkdownStream } from "./markdown.ts";
import { createSpinner } from "./spinner.ts";
import { createWordWrap } from "./word-wrap.ts";
import { withoutControls } from "./style.ts";
import type { Style } from "./style.ts";

/** Shows what happens in a chat. */
export interface Screen {
  beginTurn(): void;
  showText(delta: string): void;
  showTool(event: ToolEvent): void;
  endTurn(result: TurnResult): void;
  /** Something that is not part of an answer. */
  showNotice(text: string): void;
}

const LONGEST_INPUT = 120;
const LONGEST_RESULT = 160;

/** For people: answers on stdout, rendered on a terminal; everything else on stderr, or dimmed between them. */
export function createTextScreen(style: Style, isInteractive: boolean): Screen {
  const out = process.stdout;
  const spinner = createSpinner(out, style);
  let markdown = createMarkdownStream(style, widthOf(out));
  let hasText = false;
  const wrapped = (text: string): string => {
    const width = isInteractive ? widthOf(out) : undefined;
    if (width === undefined) return text;
    const wrap = createWordWrap(width);
    return wrap.push(text) + wrap.end();
  };
  const aside = (text: string): void => {
    spinner.stop();
    if (isInteractive) out.write(`${style.dim(wrapped(showInvisible(text)))}\n`);
    else process.stderr.write(`${showInvisible(text)}\n`);
  };
  const endText = (): void => {
    if (!hasText) return;
    out.write(`${markdown.end()}\n`);
    markdown = createMarkdownStream(style, widthOf(out));
    hasText = false;
  };
  return {
    beginTurn: () => spinner.start("thinking"),
    showText(delta) {
      spinner.stop();
      hasText = true;
      out.write(markdown.push(delta));
    },
    showTool(event) {
      spinner.stop();
      endText();
      if (event.phase === "begin") {
        aside(`→ ${event.name} ${glimpse(event.input, LONGEST_INPUT)}`);
        spinner.start(event.name);
        return;
      }
      const line = glimpse(event.text, LONGEST_RESULT);
      aside(`  ${line}`);
      spinner.start("thinking");
    },
    endTurn(result) {
      spinner.stop();
      endText();
      if (result.kind === "command") {
        if (result.isError && !isInteractive) process.stderr.write(`tidemark: ${showInvisible(result.text)}\n`);
        else out.write(`${wrapped(showInvisible(result.text))}\n`);
      }
      if (result.kind === "stopped") aside("(stopped; what was said is kept)");
      if (result.kind === "failed") {
        if (isInteractive) out.write(`${style.warn(withoutControls(result.reason))}\n`);
        else process.stderr.write(`tidemark: ${withoutControls(result.reason)}\n`);
        if (result.recalled !== undefined) {
          aside("From memory:");
          out.write(`${wrapped(showInvisible(result.recalled))}\n`);
        }
      }
      for (const notice of result.notices) aside(notice);
    },
    showNotice: aside,
  };
}

/** For programs: one JSON object a line, the turns with `"type": "turn"`. */
export function createJsonScreen(session: string): Screen {
  return {
    beginTurn: () => undefined,
    showText: () => undefined,
    showTool: (event) => writeLine({ type: "tool", session, ...event }),
    endTurn: (result) => writeLine({ type: "turn", session, ...result }),
    showNotice: (text) => writeLine({ type: "notice", session, text }),
  };
}

function writeLine(value: object): void {
  process.stdout.write(`${showJson(JSON.stringify(value))}\n`);
}

function glimpse(text: string, most: number): string {
  return shorten(withoutControls(text.replaceAll(/\s+/g, " ").trim()), most);
}

// Lines longer than this are hard to read, however wide the window is.
const WIDEST_TEXT = 100;

function widthOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY ? Math.min(WIDEST_TEXT, (columns || 80) - 1) : undefined;
}
