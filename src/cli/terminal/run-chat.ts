import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { listCommands } from "../../agent/commands.ts";
import { describeCounts } from "../../agent/describe-outcome.ts";
import { openAgent } from "../../agent/open-agent.ts";
import type { Agent } from "../../agent/open-agent.ts";
import { describeError, MemoryError } from "../../errors.ts";
import { openMemory } from "../../memory.ts";
import type { Memory } from "../../memory.ts";
import { isAddress } from "../../store/address.ts";
import { countOf } from "../print.ts";
import { createChatCommands } from "./chat-commands.ts";
import { keepWords } from "./keep-words.ts";
import { openLineEditor } from "./line-editor.ts";
import { createJsonScreen, createTextScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { chooseStyle } from "./style.ts";
import type { Style } from "./style.ts";
import { createWordWrap } from "./word-wrap.ts";
import { indexPath, ownPath, sessionsPath } from "../../layout.ts";
import { showIndexing } from "../show-indexing.ts";

/** What `tidemark chat` was asked for. */
export interface ChatRequest {
  workspace: string;
  session: string;
  /** One turn, and no more. */
  message?: string | undefined;
  /** The model to talk with, instead of the configured one. */
  model?: string | undefined;
  isJson: boolean;
}

// A digest that is cut off has been paid for and must be made again: a program that asks one question a process would
// never get one done. A person who quits is kept less long; what is left then is taken up at the next start.
const EXIT_WAIT_MS = { program: 90_000, person: 5000 };
// What was said is on the disk; commands under way end with us.
const ENDINGS = [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;
const TWICE_MS = 2000;
// 128 and the number of the signal, as shells have it.
const INTERRUPTED = 130;
const NO_MODEL =
  "No model is configured: answers come from memory alone. To add one, run `tidemark init`, or set TIDEMARK_MODEL=provider/model and its key.";

interface Chat {
  memory: Memory;
  agent: Agent;
  screen: Screen;
  request: ChatRequest;
  /** The names of the slash commands. */
  commands: readonly string[];
  /** Whether something of the present answer is on the screen. */
  isAnswering: boolean;
  /** Once someone has said that the chat is over. */
  hasLeft(): boolean;
}

/** Talks: one turn, the lines of a pipe, or a person at a terminal. */
export async function runChat(given: ChatRequest): Promise<void> {
  // Its session may be changed by a command.
  const request = { ...given };
  const isInteractive = request.message === undefined && process.stdin.isTTY && process.stdout.isTTY && !request.isJson;
  const style = chooseStyle(process.stdout, process.env);
  const screen = request.isJson ? createJsonScreen(request.session) : createTextScreen(style, isInteractive);
  let tell = (text: string): void => screen.showNotice(text);
  const memory = await openMemory({
    workspace: request.workspace,
    isLongRunning: isInteractive,
    ...(request.model === undefined ? {} : { config: { agents: { defaults: { model: request.model } } } }),
    onNotice: (text) => tell(text),
  }).catch(async (error: unknown) => {
    if (!isInteractive && !isAddress(request.workspace)) await keepWords(request, tell);
    throw error;
  });
  let model = memory.chatModel;
  let hasLeft = false;
  const commands = createChatCommands({
    useModel: (other) => (model = other),
    useSession: (key) => (request.session = key),
    leave: () => (hasLeft = true),
  });
  const agent = openAgent(memory, { commands, chooseModel: () => model });
  memory.on("consolidated", ({ outcome }) => {
    if (outcome.kind === "consolidated") tell(`memory: ${describeCounts(outcome.counts)}${undoHint(outcome.counts)}`);
    if (outcome.kind === "held") tell(`memory: a change is waiting for your review, because ${outcome.reason}`);
  });
  const names = listCommands(commands).map(({ name }) => `/${name}`);
  const chat = { memory, agent, screen, request, commands: names, isAnswering: false, hasLeft: () => hasLeft };
  for (const [signal, code] of ENDINGS) process.once(signal, () => process.exit(code));
  try {
    if (isInteractive) await talkWithPerson(chat, style, (listener) => (tell = listener));
    else {
      if (!memory.chatModel) screen.showNotice(NO_MODEL);
      await talkWithProgram(chat);
    }
    await agent.close();
    // A digest by rules costs nothing: what was said is believed when the chat ends.
    if (!memory.chatModel) await digestWords(memory, request.session, screen);
    await settleWithin(memory, isInteractive ? EXIT_WAIT_MS.person : EXIT_WAIT_MS.program);
  } finally {
    await agent.close();
    await memory.close();
  }
}

/** What was said is on the disk; that it cannot be digested now is told, and no failure of the chat. */
async function digestWords(memory: Memory, session: string, screen: Screen): Promise<void> {
  try {
    await memory.consolidate(session, { all: true });
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    // Then it was not stored either, which was told.
    if (error.code === "SESSION_UNREADABLE") return;
    screen.showNotice(`What was said is stored but not digested yet: ${describeError(error)}`);
  }
}

function undoHint({ added, reworded, retired }: { added: number; reworded: number; retired: number }): string {
  return added + reworded + retired > 0 ? ", /undo" : "";
}

async function takeTurn(chat: Chat, line: string): Promise<void> {
  const { agent, screen, request } = chat;
  screen.beginTurn();
  const result = await agent.turn(request.session, line, {
    onText(delta) {
      chat.isAnswering = true;
      screen.showText(delta);
    },
    onTool(event) {
      chat.isAnswering = true;
      screen.showTool(event);
    },
  });
  chat.isAnswering = false;
  screen.endTurn(result);
  const isFailure = result.kind === "failed" || (result.kind === "command" && result.isError);
  const isPerson = process.stdin.isTTY && request.message === undefined;
  if (isFailure && !isPerson) process.exitCode ??= 1;
}

/** One turn, or the lines of a pipe as turns; Ctrl-C stops the turn and what would follow, and quits the second time. */
async function talkWithProgram(chat: Chat): Promise<void> {
  const { agent, request } = chat;
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) process.exit(INTERRUPTED);
    isStopped = true;
    process.exitCode = INTERRUPTED;
    agent.stop(request.session);
  };
  process.on("SIGINT", stop);
  if (request.message !== undefined) await takeTurn(chat, request.message);
  else {
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      if (line.trim() !== "") await takeTurn(chat, line);
      if (isStopped || chat.hasLeft()) break;
    }
  }
  process.off("SIGINT", stop);
}

async function talkWithPerson(
  chat: Chat,
  style: Style,
  setTell: (listener: (text: string) => void) => void,
): Promise<void> {
  const { memory, agent, request } = chat;
  const editor = openLineEditor({
    historyPath: historyPath(memory),
    prompt: `${style.accent(">")} `,
    complete: (line) => completeLine(chat, line),
  });
  const waiting: string[] = [];
  const late: string[] = [];
  let isBusy = false;
  let interruptedAt = 0;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const { promise: broken, reject: fail } = Promise.withResolvers<never>();
  setTell((text) => {
    if (!isBusy) return editor.printAbove(style.dim(text));
    // What is told in the middle of an answer waits for its end; before it begins, it may say why there is none yet.
    if (chat.isAnswering) late.push(text);
    else chat.screen.showNotice(text);
  });

  const isStop = (line: string): boolean => line === "/stop" && agent.stop(request.session);
  const work = async (): Promise<void> => {
    isBusy = true;
    editor.hold(isStop);
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) await takeTurn(chat, line);
    if (chat.hasLeft()) return finish();
    isBusy = false;
    for (const text of late.splice(0)) chat.screen.showNotice(text);
    editor.prompt();
    editor.release();
  };
  await indexFirst(memory);
  const session = await memory.session(request.session);
  process.stdout.write(`${welcome(chat, session.length, style)}\n`);
  editor.onLine((line) => {
    const words = line.trim();
    // As said elsewhere, and at once even in mid-answer.
    if (/^(?:\/?(?:exit|quit))$/i.test(words)) return finish();
    if (words === "/stop" && isBusy) return void agent.stop(request.session);
    if (words !== "") waiting.push(line);
    if (isBusy) return undefined;
    if (words === "") return editor.prompt();
    work().catch(fail);
    return undefined;
  });
  editor.onInterrupt(() => {
    const isAgain = Date.now() - interruptedAt < TWICE_MS;
    interruptedAt = Date.now();
    if (isAgain) return finish();
    if (isBusy) return void agent.stop(request.session);
    return editor.printAbove(style.dim("(Ctrl-C again to quit)"));
  });
  editor.onClose(finish);
  editor.prompt();
  try {
    await Promise.race([finished, broken]);
  } finally {
    setTell(() => undefined);
    await editor.close();
    process.stdout.write("\n");
  }
}

// A person waits this long for the first index; the rest is read between turns.
const INDEX_WAIT_MS = 3000;

/** The first look at a large workspace takes time: it is shown, before the first question asks for it. */
async function indexFirst(memory: Memory): Promise<void> {
  const { folder } = memory.store;
  if (folder === undefined || existsSync(indexPath(folder)) || !existsSync(sessionsPath(folder))) return;
  if (readdirSync(sessionsPath(folder)).length > 1)
    await memory.index({ onProgress: showIndexing(), waitMs: INDEX_WAIT_MS });
}

/** What was typed is a person's own: where the memory lies elsewhere it stays on this machine. */
function historyPath({ store: { folder } }: Memory): string {
  return folder === undefined ? join(homedir(), ".tidemark", "chat-history") : ownPath(folder, "chat-history");
}

async function completeLine({ commands, memory }: Chat, line: string): Promise<string[]> {
  const [, command, begun] = /^(\/sessions )(.*)$/.exec(line) ?? [];
  if (command === undefined) return line.startsWith("/") ? commands.filter((name) => name.startsWith(line)) : [];
  const { sessions } = await memory.listSessions();
  return sessions.map(({ key }) => `${command}${key}`).filter((each) => each.startsWith(`${command}${begun}`));
}

function welcome({ memory, request }: Chat, messages: number, style: Style): string {
  const model = memory.chatModel;
  const head = `${style.bold("tidemark")} · ${model?.id ?? "no model"} · ${request.session}, ${countOf(messages, "message")} · /help, Ctrl-D quits`;
  if (model) return head;
  const wrap = createWordWrap(Math.max(20, (process.stdout.columns || 80) - 1));
  return `${head}\n${style.dim(wrap.push(NO_MODEL) + wrap.end())}`;
}

async function settleWithin(memory: Memory, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  // What is not done by then is in a log or queued, and is taken up at the next start.
  await Promise.race([memory.settle({ retries: 0 }), late]);
  clearTimeout(timer);
}
