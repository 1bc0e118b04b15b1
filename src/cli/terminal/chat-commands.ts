import type { Command } from "../../agent/command.ts";
import { exportWorkspace } from "../../export/export-workspace.ts";
import { MemoryError } from "../../errors.ts";
import { createLazyModel } from "../../model/lazy-model.ts";
import type { Model } from "../../model/model.ts";
import { formatDay } from "../../time.ts";
import { describeSessions, renderSessions } from "../describe-sessions.ts";
import { countOf } from "../print.ts";
import { renderSource } from "../trust/render.ts";
import { expandPath } from "../workspace-path.ts";

/** What the commands of a chat may change about it. */
export interface ChatHandle {
  useModel(model: Model): void;
  useSession(key: string): void;
  leave(): void;
}

const MOST_LISTED = 12;
// How a change that waits begins.
const SIGNS = { add: "+", reword: "+", retire: "-", move: "~" } as const;

/** The slash commands that only a chat in a terminal has. */
export function createChatCommands(chat: ChatHandle): Command[] {
  return [
    createForgetCommand(),
    whyCommand,
    reviewCommand,
    modelCommand(chat),
    sessionsCommand(chat),
    exportCommand,
    quitCommand(chat),
  ];
}

/** Two steps: what would go is shown first. */
function createForgetCommand(): Command {
  let shown = "";
  return {
    name: "forget",
    argument: "<text>",
    summary: "forgets for good: previews what would go; /forget yes does it",
    async run(argument, { memory }) {
      if (argument === "") throw new MemoryError("QUERY_INVALID", "Say what to forget: /forget <text>");
      if (argument !== "yes") {
        const trial = await memory.trust.forget({ text: argument }, { isTrial: true });
        if (trial.kind !== "trial" || trial.finds.length === 0) return "Nothing on record says that.";
        shown = argument;
        const lines = trial.finds.map(({ path, text }) => `  ${path}: ${text.replaceAll(/\s+/g, " ")}`);
        return ["This would go, for good:", ...lines, "Type /forget yes to forget it."].join("\n");
      }
      if (shown === "") throw new MemoryError("QUERY_INVALID", "Say what to forget first: /forget <text>");
      const forgotten = await memory.trust.forget({ text: shown });
      shown = "";
      const left = forgotten.kind === "forgotten" ? forgotten.receipt.left : [];
      if (left.length === 0) return "Forgotten. A scan of every byte of the workspace found nothing left of it.";
      return `Forgotten, but it is still in ${left.map(({ path }) => path).join(", ")}; edit these yourself.`;
    },
  };
}

const whyCommand: Command = {
  name: "why",
  argument: "<fact>",
  summary: "tells why something is believed: who said it, when, in which words",
  async run(argument, { memory, session }) {
    if (argument === "") throw new MemoryError("QUERY_INVALID", "Say which fact: /why <words of it>");
    // By rules a digest costs nothing, and what was said a moment ago is on record after it.
    if (!memory.chatModel) await memory.consolidate(session, { all: true });
    const stories = await memory.trust.why(argument, session);
    if (stories.length === 0) return "No such fact is on record, now or earlier.";
    return stories
      .map((story) => `${story.fact}${story.line === null ? " (no longer believed)" : ""}\n  ${renderSource(story)}`)
      .join("\n");
  },
};

const reviewCommand: Command = {
  name: "review",
  argument: "[accept|reject CHANGE]",
  summary: "shows the changes waiting for you; accepts or rejects those of one change",
  async run(argument, { memory }) {
    const [, verdict, change] = /^(accept|reject)\s+(\S+)$/.exec(argument) ?? [];
    if (argument !== "" && (change === undefined || (verdict !== "accept" && verdict !== "reject"))) {
      throw new MemoryError("QUERY_INVALID", "Use /review, /review accept CHANGE or /review reject CHANGE");
    }
    const waiting = await memory.review();
    if (change !== undefined && (verdict === "accept" || verdict === "reject")) {
      const meant = waiting.find((each) => each.change.startsWith(change));
      if (!meant) throw new MemoryError("NOT_FOUND", `Nothing from ${change} is waiting`);
      const { accepted, rejected, refused = [] } = await memory.decide({ change: meant.change, verdict, by: "user" });
      const stays = refused.map(({ fact, reason }) => `Not done, and still waiting: ${fact}: ${reason}`);
      return [`${accepted.length} accepted, ${rejected.length} rejected.`, ...stays].join("\n");
    }
    if (waiting.length === 0) return "Nothing is waiting for you.";
    const blocks = waiting.map(({ change: id, reason, items }) =>
      [
        `${id}: ${countOf(items.length, "change")}; ${reason}`,
        ...items.map(({ kind, fact }) => `  ${SIGNS[kind]} ${fact}`),
      ].join("\n"),
    );
    return [...blocks, "Decide with /review accept CHANGE or /review reject CHANGE."].join("\n");
  },
};

function modelCommand(chat: ChatHandle): Command {
  return {
    name: "model",
    argument: "[provider/model]",
    summary: "shows the model, or switches to another one",
    async run(argument, { memory }) {
      if (argument === "") {
        const name = memory.chatModel?.id;
        if (name === undefined)
          return "No model: answers come from memory alone. `tidemark models` lists what is available.";
        return `${name}. \`tidemark models\` lists others.`;
      }
      chat.useModel(createLazyModel(argument, memory.config));
      return `${argument} answers from now on, in this chat. To keep it: tidemark config set model ${argument}`;
    },
  };
}

function sessionsCommand(chat: ChatHandle): Command {
  return {
    name: "sessions",
    argument: "[key]",
    summary: "lists the sessions, or switches to another one",
    async run(argument, { memory }) {
      if (argument !== "") {
        if (!(await memory.hasSession(argument))) throw new MemoryError("NOT_FOUND", `There is no session ${argument}`);
        chat.useSession(argument);
        return `You are in ${argument} now, ${countOf((await memory.session(argument)).length, "message")}.`;
      }
      const { sessions } = await memory.listSessions();
      const { timezone } = memory.config.agents.defaults;
      const listed = await describeSessions(memory, sessions.slice(0, MOST_LISTED));
      return renderSessions(listed, sessions.length, {
        now: new Date(),
        timezone,
        width: Math.min(100, process.stdout.columns || 80) - 1,
      });
    },
  };
}

const exportCommand: Command = {
  name: "export",
  argument: "[folder]",
  summary: "writes everything as plain files",
  async run(argument, { memory }) {
    const day = formatDay(new Date(), memory.config.agents.defaults.timezone);
    const folder = expandPath(argument || `tidemark-export-${day}`);
    const { sessions, archived, messages, facts } = await exportWorkspace(memory, folder, () => new Date());
    return `${countOf(messages, "message")} in ${countOf(sessions + archived, "session")} and ${countOf(facts, "fact")} are in ${folder}`;
  },
};

function quitCommand(chat: ChatHandle): Command {
  return {
    name: "quit",
    summary: "leaves the chat; what was said is kept",
    async run() {
      chat.leave();
      return "Bye.";
    },
  };
}
