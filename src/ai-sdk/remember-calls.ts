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
  Options extends { prompt: Message[] },
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
      return { ...streamed, stream: streamed.stream.pipeThrough(recordStream<Piece>(store)) };
    },
  };
}

/** Lets a stream through and stores what it said; its end is held back until that is on the disk. */
function recordStream<Piece extends { type: string }>(
  store: (parts: readonly unknown[], isStopped: boolean) => Promise<void>,
): TransformStream<Piece, Piece> {
  const parts: unknown[] = [];
  let isStored = false;
  return new TransformStream<Piece, Piece>({
    async transform(part, controller) {
      if (part.type === "text-delta" && "delta" in part) parts.push({ ...part, type: "text", text: part.delta });
      else if (part.type === "tool-call" || isLookedUp(part)) parts.push(part);
      if (part.type === "finish") {
        isStored = true;
        await store(parts, false);
      }
      controller.enqueue(part);
    },
    // The reader has left in the middle: what it heard until then was said.
    async cancel() {
      if (!isStored) await store(parts, true);
    },
  });
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
