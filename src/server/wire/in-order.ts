import type { AnswerEvent } from "./conversation.ts";
import { parseIfJson } from "../../parse-if-json.ts";
import type { StreamWriter } from "./wire.ts";

/** The call that is being written, and what waits for its end. */
interface OpenCall {
  index: number;
  arguments: string;
  waiting: AnswerEvent[];
}

/**
 * A writer that gets one thing after the other: what begins while a call is not whole waits for it. Providers of chat
 * completions may mix the pieces of several calls; on the other wires one item ends before the next begins, and clients
 * count on that.
 */
export function inOrder(writer: StreamWriter): StreamWriter {
  let open: OpenCall | undefined;
  const release = (): string => {
    const waiting = open?.waiting ?? [];
    open = undefined;
    return gather(waiting)
      .map((event) => write(event))
      .join("");
  };
  const releaseAll = (): string => {
    const sent = release();
    return open ? sent + releaseAll() : sent;
  };
  const write = (event: AnswerEvent): string => {
    if (event.type === "usage") return writer.write(event);
    if (event.type === "finish" || event.type === "failure") {
      const sent = releaseAll();
      return sent + writer.write(event);
    }
    if (event.type === "arguments" && event.index === open?.index) {
      open.arguments += event.text;
      return writer.write(event);
    }
    // A call that has ended takes no more.
    if (event.type === "arguments" && !open?.waiting.some((each) => isCallOf(each, event.index))) return "";
    if (open && parseIfJson(open.arguments) === undefined) {
      open.waiting.push(event);
      return "";
    }
    const sent = release();
    if (open) return sent + write(event);
    if (event.type === "call") open = { index: event.index, arguments: "", waiting: [] };
    return sent + writer.write(event);
  };
  return { write, end: () => writer.end() };
}

/** Pieces of calls behind their calls, each call whole before the next thing. */
function gather(events: readonly AnswerEvent[]): AnswerEvent[] {
  return events.flatMap((event) => {
    if (event.type === "arguments") return [];
    if (event.type !== "call") return [event];
    return [event, ...events.filter((each) => each.type === "arguments" && each.index === event.index)];
  });
}

function isCallOf(event: AnswerEvent, index: number): boolean {
  return event.type === "call" && event.index === index;
}
