import { isQuestion } from "../belief/question.ts";
import { isAmnesiac } from "../config-schema.ts";
import { describeError, MemoryError } from "../errors.ts";
import { watchForgetting } from "../files/forgotten.ts";
import type { Memory } from "../memory.ts";
import { createQueues } from "../queue.ts";
import { answerFromMemory } from "./answer-from-memory.ts";
import { askRound } from "./ask-round.ts";
import type { OpenTurn } from "./ask-round.ts";
import type { Command } from "./command.ts";
import { findCommand, listCommands, runCommand } from "./commands.ts";
import type { Model } from "../model/model.ts";
import type { Session } from "../session/session.ts";
import { completeCalls } from "./complete-calls.ts";
import { findAnswers } from "./find-answers.ts";
import { runTurn } from "./run-turn.ts";
import { traced } from "../trace.ts";
import type { Tool } from "./tool.ts";
import { listTools } from "./tools.ts";
import type { TurnLoop, TurnMemo, TurnOptions, TurnResult } from "./turn.ts";

/** An assistant over a memory. Sessions run side by side; within one, turns follow one another. */
export interface Agent {
  /** Says something; slash commands are carried out. */
  turn(session: string, text: string, options?: TurnOptions): Promise<TurnResult>;
  /** Stops the turn that a session is in; false when there is none. */
  stop(session: string): boolean;
  /** Stops every turn and waits for them. */
  close(): Promise<void>;
}

/** What a door may add to an agent. */
export interface AgentOptions {
  /** Slash commands besides those that every agent has. */
  commands?: readonly Command[];
  /** The model that talks, where it is not the memory's own. */
  chooseModel?: () => Model | undefined;
}

/** Opens an agent over a memory; the memory stays the caller's to close. */
export function openAgent(given: Memory, { commands: more = [], chooseModel }: AgentOptions = {}): Agent {
  const commands = listCommands(more);
  const memory: Memory = {
    ...given,
    get chatModel() {
      return chooseModel?.() ?? given.chatModel;
    },
  };
  const turns = createQueues();
  const running = new Map<string, AbortController>();
  const memos = new Map<string, TurnMemo>();

  const talk = async (
    key: string,
    text: string,
    hearing: Promise<string | undefined>,
    options: TurnOptions,
  ): Promise<TurnResult> => {
    const controller = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal;
    running.set(key, controller);
    let isBegun = false;
    const begin = async (): Promise<TurnResult> => {
      isBegun = true;
      return takeTurn(memory, key, text, memos, { ...options, signal, heard: await hearing });
    };
    try {
      return await traced(
        "turn",
        {},
        () => memory.withTurn(key, signal, begin),
        ({ kind }) => ({ "tidemark.outcome": kind }),
      );
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      // Stopped while it waited for another's answer: what was said is kept, as it is when its own answer is stopped.
      if (!isBegun) await (await memory.session(key, await hearing)).append({ role: "user", content: text });
      return { kind: "failed", code: error.code, reason: describeError(error), notices: [] };
    } finally {
      running.delete(key);
    }
  };
  return {
    async turn(key, text, options = {}) {
      if (text.trim() === "") {
        return { kind: "failed", code: "MESSAGE_INVALID", reason: "The message is empty", notices: [] };
      }
      const command = findCommand(text);
      // It must not wait for the turn that it is to stop.
      if (command?.name === "stop")
        return runCommand(command, { memory, session: key, stop: () => stop(key) }, commands);
      const hearing = memory.hear();
      const work = (): Promise<TurnResult> => {
        if (!command) return talk(key, text, hearing, options);
        // Another conversation has nothing to do with the last request of this one.
        if (command.name === "new") memos.delete(key);
        return runCommand(command, { memory, session: key, stop: () => stop(key) }, commands);
      };
      return turns.add(key, work);
    },
    stop,
    async close() {
      for (const controller of running.values()) controller.abort();
      await turns.settled();
    },
  };

  function stop(key: string): boolean {
    const controller = running.get(key);
    controller?.abort();
    return controller !== undefined;
  }
}

async function takeTurn(
  memory: Memory,
  key: string,
  text: string,
  memos: Map<string, TurnMemo>,
  options: TurnOptions & { signal: AbortSignal; heard: string | undefined },
): Promise<TurnResult> {
  const session = await memory.session(key);
  const own = await memory.session(key, options.heard);
  await completeCalls(session);
  const model = memory.chatModel;
  if (!model) return answerFromMemory(memory, session, text, options);
  const forgetting = await watchForgetting(memory.store);
  const shown = await showStable(memory, session, text).catch(async (error: unknown) => {
    // What was said is stored, whatever else fails.
    await own.append({ role: "user", content: text });
    throw error;
  });
  const { context, memory_shown } = shown;
  await own.append({ role: "user", content: text, context, memory_shown });
  const memo = memos.get(key) ?? { scale: 1 };
  memos.set(key, memo);
  const tools = listTools(memory.config);
  const turn: OpenTurn = {
    memory,
    session,
    model,
    tools: tools.map(({ definition }) => definition),
    system: shown.system,
    earlier: shown.earlier,
    start: session.length - 1,
    notices: [],
    signal: options.signal,
    forgetting,
    scale: memo.scale,
    memo,
  };
  const result = await runTurn(openLoop(turn, tools), options);
  // Above the day's cap there is still what is on record.
  if (result.kind === "failed" && result.code === "SPEND_CAPPED") {
    const recalled = await answerFromMemory(memory, session, text, { ...options, isStored: true });
    return { ...recalled, notices: [result.reason, ...recalled.notices] };
  }
  if (result.kind !== "failed") return result;
  return { ...result, ...(await recallInstead(memory, session, text)), notices: [...result.notices, KEPT] };
}

const KEPT = "Your message is kept: the next turn goes on from it.";

/** What memory answers to a question that the model did not. It is shown and not stored: the model may still be asked. */
async function recallInstead(memory: Memory, session: Session, text: string): Promise<{ recalled?: string }> {
  if (!isQuestion(text)) return {};
  const asking = session.messages().findLast(({ role }) => role === "user")?.id;
  const answers = await findAnswers(memory, session.key, text, asking).catch((error: unknown) => {
    // What the model failed with is told; that memory cannot be asked either adds nothing.
    if (error instanceof MemoryError) return [];
    throw error;
  });
  if (answers.length === 0) return {};
  return { recalled: answers.map(({ shown, source }) => `${shown}\n  (${source})`).join("\n") };
}

const NOT_KEPT =
  "Error: something was forgotten while this ran, so its result is not kept. Run it again if it is needed.";
const NOT_RUN =
  "Error: something was forgotten since this was asked for, so it was not run. Ask for it again if it is needed.";

/** What the loop of a turn may do: ask, store, and run tools in the name of its session. */
function openLoop(turn: OpenTurn, tools: readonly Tool[]): TurnLoop {
  const { memory, session, model, signal, notices } = turn;
  return {
    model: model.id,
    maxRounds: memory.config.agents.defaults.maxToolIterations,
    signal,
    notices,
    ask: (onText) => askRound(turn, onText),
    async append(message) {
      if (message.role !== "tool") return session.append(message);
      return turn.forgetting.store(async (hasForgotten) =>
        session.append(hasForgotten ? { ...message, content: NOT_KEPT } : message),
      );
    },
    appendAnswer: (message) =>
      turn.forgetting.store(async (hasForgotten) => {
        if (!hasForgotten) await session.append(message);
        return !hasForgotten;
      }),
    length: () => session.length,
    async run(name, input) {
      const tool = tools.find(({ definition }) => definition.name === name);
      if (!tool) return { text: `Error: there is no tool called ${name}`, isError: true, hasSaved: false };
      // Its words are those of an answer that was given on what is forgotten by now.
      if (await turn.forgetting.hasForgotten()) return { text: NOT_RUN, isError: true, hasSaved: false };
      const heard = turn.forgetting.mark;
      let hasSaved = false;
      const noteSaved = (): void => void (hasSaved = true);
      const result = await tool.run(input, { memory, session: session.key, model: model.id, signal, heard, noteSaved });
      return { ...result, hasSaved };
    },
    completeCalls: (text) => completeCalls(session, text),
  };
}

/** Context and history of one moment: a consolidation that ends between the two would leave a gap. */
async function showStable(memory: Memory, session: Awaited<ReturnType<Memory["session"]>>, text: string) {
  for (;;) {
    const { cursor } = session;
    const shown = await memory.turnContext(session, text);
    const earlier = session.history(steadyLimits(memory, session.length - cursor));
    if (session.cursor === cursor) return { ...shown, earlier };
  }
}

const MOST_MESSAGES = 500;
const STEP = 100;

/**
 * Where nothing is digested, the window over the newest messages moves in steps: moving with each message would give
 * every request another beginning, and no cache could serve it.
 */
function steadyLimits({ config }: Memory, waiting: number): { maxMessages?: number } {
  if (isAmnesiac(config.agents.defaults) || waiting <= MOST_MESSAGES) return {};
  return { maxMessages: MOST_MESSAGES - STEP + (waiting % STEP) };
}
