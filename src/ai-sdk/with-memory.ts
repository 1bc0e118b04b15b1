import type {
  LanguageModelV4,
  LanguageModelV4Middleware,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import { createClientTalk } from "../door/client-talk.ts";
import type { ClientTalk } from "../door/client-talk.ts";
import type { Memory } from "../memory.ts";
import { buildMemoryPrompt, recallFor } from "../door/memory-prompt.ts";
import { createHandle } from "./memory-source.ts";
import type { MemorySource } from "./memory-source.ts";
import { assistantMessage, spokenMessages } from "./spoken-messages.ts";
import type { AnswerPart } from "./spoken-messages.ts";

/** A model of the AI SDK that remembers. */
export interface ModelWithMemory extends LanguageModelV4 {
  /** Waits until what was said is digested as far as is due. */
  settle(): Promise<void>;
  /** Closes the memory, if it was opened here. */
  close(): Promise<void>;
}

/**
 * Gives a model a memory: what is remembered is added to the prompt, what is said is stored, and digested behind the
 * conversation. Works with `generateText` and `streamText`, with tools and with structured output.
 */
export function withMemory(
  model: Parameters<typeof wrapLanguageModel>[0]["model"],
  source: MemorySource,
): ModelWithMemory {
  const handle = createHandle(source, wrapLanguageModel({ model, middleware: [] }));
  let talking: ClientTalk | undefined;
  const open = async (): Promise<Open> => {
    const memory = await handle.get();
    talking ??= createClientTalk(memory);
    return { memory, talk: talking, key: source.session };
  };
  const wrapped = wrapLanguageModel({ model, middleware: createMiddleware(open) });
  return Object.assign(wrapped, {
    settle: async () => (await handle.get()).settle(),
    async close() {
      talking = undefined;
      await handle.close();
    },
  });
}

interface Open {
  memory: Memory;
  talk: ClientTalk;
  key: string;
}

function createMiddleware(open: () => Promise<Open>): LanguageModelV4Middleware {
  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const { memory, talk, key } = await open();
      const spoken = spokenMessages(params.prompt);
      // On the disk before the model is asked.
      await talk.hear(key, spoken);
      const section = await buildMemoryPrompt(memory, key);
      const recalled = await recallFor(memory, key, spoken);
      return { ...params, prompt: addRecalled(addSection(params.prompt, section), recalled) };
    },
    async wrapGenerate({ doGenerate, model }) {
      const { talk, key } = await open();
      const result = await doGenerate();
      await talk.answer(key, { ...assistantMessage(result.content), model: nameOf(model) });
      return result;
    },
    async wrapStream({ doStream, model }) {
      const { talk, key } = await open();
      const { stream, ...rest } = await doStream();
      const store = (parts: readonly AnswerPart[], isStopped: boolean) =>
        talk.answer(key, {
          ...assistantMessage(parts),
          model: nameOf(model),
          ...(isStopped ? { stopped: true } : {}),
        });
      return { ...rest, stream: stream.pipeThrough(recordStream(store)) };
    },
  };
}

/** Lets a stream through and stores what it said; its end is held back until that is on the disk. */
function recordStream(
  store: (parts: readonly AnswerPart[], isStopped: boolean) => Promise<void>,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const parts: AnswerPart[] = [];
  let isStored = false;
  return new TransformStream({
    async transform(part, controller) {
      if (part.type === "text-delta") parts.push({ type: "text", text: part.delta });
      if (part.type === "tool-call") parts.push(part);
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

function addSection(prompt: LanguageModelV4Prompt, section: string): LanguageModelV4Prompt {
  if (section === "") return prompt;
  const first = prompt.findIndex(({ role }) => role !== "system");
  const at = first < 0 ? prompt.length : first;
  // Behind the caller's own instructions, which change less often.
  return [...prompt.slice(0, at), { role: "system", content: section }, ...prompt.slice(at)];
}

function addRecalled(prompt: LanguageModelV4Prompt, recalled: string | undefined): LanguageModelV4Prompt {
  const last = prompt.at(-1);
  if (recalled === undefined || last?.role !== "user") return prompt;
  return [...prompt.slice(0, -1), { ...last, content: [{ type: "text", text: recalled }, ...last.content] }];
}

function nameOf({ provider, modelId }: LanguageModelV4): string {
  return `${provider}/${modelId}`;
}
