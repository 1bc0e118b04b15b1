import type { Answer, AnswerEvent, CallPart, SaidPart } from "./conversation.ts";

/** An answer that comes in pieces. */
export interface GrowingAnswer {
  add(event: AnswerEvent): void;
  /** Whether the provider has said that the answer is complete. */
  readonly isFinished: boolean;
  /** Whether the provider has sent an error in place of the rest. */
  readonly hasFailed: boolean;
  read(): Answer;
}

/** Puts the pieces of an answer together, whichever wire they came over. */
export function createGrowingAnswer(): GrowingAnswer {
  const parts: SaidPart[] = [];
  const calls = new Map<number, CallPart>();
  const answer: Answer = { parts, finish: "stop", usage: undefined };
  let isFinished = false;
  let hasFailed = false;
  const speak = (type: "text" | "reasoning" | "refusal", text: string): void => {
    const last = parts.at(-1);
    if (last?.type === type) last.text += text;
    else parts.push({ type, text });
  };
  return {
    add(event) {
      if (event.type === "start") answer.id = event.id;
      else if (event.type === "text" || event.type === "reasoning" || event.type === "refusal")
        speak(event.type, event.text);
      else if (event.type === "signature") {
        const last = parts.at(-1);
        if (last?.type === "reasoning" && last.signature === undefined) last.signature = event.signature;
        else parts.push({ type: "reasoning", text: "", signature: event.signature });
      } else if (event.type === "call") {
        const { index, id, name, isCustom } = event;
        const call: CallPart = { type: "call", id, name, arguments: "", ...(isCustom ? { isCustom } : {}) };
        calls.set(index, call);
        parts.push(call);
      } else if (event.type === "arguments") {
        const call = calls.get(event.index);
        if (call) call.arguments += event.text;
      } else if (event.type === "usage") answer.usage = event.usage;
      else if (event.type === "finish") {
        isFinished = true;
        answer.finish = event.finish;
        answer.stopSequence = event.stopSequence;
        answer.itemIds = event.itemIds;
        // What comes after the end takes nothing from the answer.
      } else if (!isFinished) hasFailed = true;
    },
    get isFinished() {
      return isFinished;
    },
    get hasFailed() {
      return hasFailed;
    },
    read: () => answer,
  };
}

/** A whole answer in pieces, for a client that wants them from a provider that sends none. */
export function piecesOf(answer: Answer): AnswerEvent[] {
  let calls = 0;
  const said = answer.parts.flatMap((part): AnswerEvent[] => {
    if (part.type === "text" || part.type === "refusal") return [{ type: part.type, text: part.text }];
    if (part.type === "reasoning") {
      const { text, signature } = part;
      const thoughts: AnswerEvent[] = text === "" ? [] : [{ type: "reasoning", text }];
      return signature === undefined ? thoughts : [...thoughts, { type: "signature", signature }];
    }
    const index = calls++;
    const { id, name, isCustom } = part;
    return [
      { type: "call", index, id, name, ...(isCustom ? { isCustom } : {}) },
      { type: "arguments", index, text: part.arguments },
    ];
  });
  const { finish, stopSequence, usage } = answer;
  return [
    { type: "start", id: answer.id },
    ...said,
    { type: "finish", finish, stopSequence },
    ...(usage ? [{ type: "usage", usage } as const] : []),
  ];
}
