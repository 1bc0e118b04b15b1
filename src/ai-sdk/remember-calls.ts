import { z } from "zod";
import type { BegunTurn, ClientTalk } from "../door/client-talk.ts";
import { withoutHarness } from "../door/without-harness.ts";
import { buildMemoryPrompt, recallFor } from "../door/memory-prompt.ts";
import type { Memory } from "../memory.ts";
import { isLookedUp } from "./is-looked-up.ts";
import { assistantMessage, spokenMessages } from "./spoken-messages.ts";

/** A memory that is open, and who talks. */
export interface Open {
  memory: Memory;
  talk: ClientTalk;
  key: string;
}

/** What is asked of a model, in whichever version. */
interface Calls<Options, Result, Streamed> {
  provider: string;
  modelId: string;
  doGenerate(options: Options): PromiseLike<Result>;
  doStream(options: Options): PromiseLike<Streamed>;
}

/** How a version writes what is added to a prompt. */
interface Writing<Message> {
  system: (content: string) => Message;
  text: (words: string) => { type: "text"; text: string };
}

type UserMessage = { role: "user"; content: unknown[] };

/** The two calls of a model, with memory before each and a record behind it. */
export function rememberCalls<
  Message extends { role: string; content: unknown },
  Options extends { prompt: Message[]; abortSignal?: AbortSignal | undefined },
  Result extends { content: readonly unknown[]; providerMetadata?: unknown },
  Piece extends { type: string },
  Streamed extends { stream: ReadableStream<Piece> },
>(
  model: Calls<Options, Result, Streamed>,
  open: () => Promise<Open>,
  writing: Writing<Message>,
): { doGenerate(options: Options): Promise<Result>; doStream(options: Options): Promise<Streamed> } {
  const name = `${model.provider}/${model.modelId}`;
  const prepare = async (options: Options): Promise<{ asked: Options; begun: BegunTurn }> => {
    const { memory, talk, key } = await open();
    const begun = await talk.begin();
    const spoken = withoutHarness(spokenMessages(options.prompt));
    // On the disk before the model is asked.
    await talk.hear(key, spoken);
    const section = await buildMemoryPrompt(memory, key);
    const recalled = await recallFor(memory, key, spoken);
    const prompt = addRecalled(addSection(options.prompt, section, writing), recalled, writing);
    return { asked: { ...options, prompt }, begun };
  };
  return {
    async doGenerate(options) {
      const { asked, begun } = await prepare(options);
      const result = await model.doGenerate(asked);
      if (isBroken(result)) return result;
      const { talk, key } = await open();
      await talk.answer(
        key,
        { ...assistantMessage([...result.content, { providerMetadata: result.providerMetadata }]), model: name },
        begun,
      );
      return result;
    },
    async doStream(options) {
      const { asked, begun } = await prepare(options);
      const streamed = await model.doStream(asked);
      const { talk, key } = await open();
      const store = (parts: readonly unknown[], isStopped: boolean) =>
        talk.answer(key, { ...assistantMessage(parts), model: name, ...(isStopped ? { stopped: true } : {}) }, begun);
      return { ...streamed, stream: recordStream(streamed.stream, store, options.abortSignal) };
    },
  };
}

/**
 * Lets a stream through and stores what it said; its end is held back until that is on the disk. Half an answer that broke
 * off is no answer; one that the reader left, or the caller stopped, was heard until then.
 */
function recordStream<Piece extends { type: string }>(
  source: ReadableStream<Piece>,
  store: (parts: readonly unknown[], isStopped: boolean) => Promise<void>,
  caller: AbortSignal | undefined,
): ReadableStream<Piece> {
  const reader = source.getReader();
  const parts: unknown[] = [];
  let isOver = false;
  const end = async (isStopped: boolean): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await store(parts, isStopped);
  };
  const pull = async (controller: ReadableStreamDefaultController<Piece>): Promise<void> => {
    const { done, value: part } = await reader.read().catch(async (error: unknown) => {
      if (caller?.aborted) await end(true);
      throw error;
    });
    if (done) {
      controller.close();
      return;
    }
    if (part.type === "text-delta" && "delta" in part) parts.push({ ...part, type: "text", text: part.delta });
    else if (part.type === "tool-call" || isLookedUp(part)) parts.push(part);
    if (part.type === "error" || (part.type === "finish" && isBroken(part))) isOver = true;
    if (part.type === "finish") await end(false);
    controller.enqueue(part);
  };
  const cancel = async (reason: unknown): Promise<void> => {
    await Promise.all([reader.cancel(reason), end(true)]);
  };
  return new ReadableStream<Piece>({ pull, cancel }, { highWaterMark: 0 });
}

/** How an answer ended; versions 3 and 4 tell it beside the provider's own word. */
const Ended = z.looseObject({
  finishReason: z.union([z.string(), z.looseObject({ unified: z.string() }).transform(({ unified }) => unified)]),
});

/** Whether an answer ended because something failed. */
function isBroken(ended: unknown): boolean {
  const reason = Ended.safeParse(ended).data?.finishReason;
  return reason === "error" || reason === "interrupted";
}

function addSection<Message extends { role: string }>(
  prompt: readonly Message[],
  section: string,
  { system }: Writing<Message>,
): Message[] {
  if (section === "") return [...prompt];
  const first = prompt.findIndex(({ role }) => role !== "system");
  const at = first < 0 ? prompt.length : first;
  // Behind the caller's own instructions, which change less often.
  return [...prompt.slice(0, at), system(section), ...prompt.slice(at)];
}

function addRecalled<Message extends { role: string; content: unknown }>(
  prompt: readonly Message[],
  recalled: string | undefined,
  { text }: Writing<Message>,
): Message[] {
  const last = prompt.at(-1);
  if (recalled === undefined || last === undefined || !isUser(last)) return [...prompt];
  return [...prompt.slice(0, -1), { ...last, content: [text(recalled), ...last.content] }];
}

function isUser<Message extends { role: string; content: unknown }>(
  message: Message,
): message is Message & UserMessage {
  return message.role === "user" && Array.isArray(message.content);
}
