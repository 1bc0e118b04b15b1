import { spawn } from "node:child_process";

/** The plugin of opencode: memory at the start, recall with a message, words out after each turn. */
export const Tidemark = async ({ client }, options = {}) => {
  const [command = "tidemark", ...args] = options.command ?? [];
  const place = options.workspace === undefined ? [] : ["-w", options.workspace];
  const hook = (event, input) => callHook(command, [...args, "hook", event, "--client", "opencode", ...place], input);
  /** What was recalled for a message; it is shown with it in every later request, so that caches keep serving. */
  const recalled = new Map();
  const started = new Map();

  const takeWords = async (event, sessionID) => {
    const { data = [] } = await client.session.messages({ path: { id: sessionID } });
    await hook(event, { session_id: sessionID, messages: data.flatMap(toMessages) });
  };

  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (!started.has(sessionID)) started.set(sessionID, await hook("SessionStart", { session_id: sessionID }));
      const prompt = wordsOf(parts);
      if (prompt !== "")
        recalled.set(message.id, await hook("UserPromptSubmit", { session_id: sessionID, prompt, messages: [] }));
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const memory = started.get(sessionID);
      if (memory) system.push(memory);
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const { info, parts } of messages) {
        const text = parts.find((part) => part.type === "text" && !part.synthetic);
        const memory = recalled.get(info.id);
        if (text && memory) text.text = `${memory}\n\n${text.text}`;
      }
    },
    "experimental.session.compacting": async ({ sessionID }) => takeWords("PreCompact", sessionID),
    event: async ({ event }) => {
      if (event.type === "session.idle") await takeWords("Stop", event.properties.sessionID);
      if (event.type === "session.deleted") {
        const { id } = event.properties.info;
        await hook("SessionEnd", { session_id: id, messages: [] });
        started.delete(id);
      }
    },
  };
};

/** Runs a hook of tidemark; what it says, or nothing. It never fails, and never takes long. */
function callHook(command, args, input) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    const chunks = [];
    const timer = setTimeout(() => child.kill(), 5000);
    const end = (text) => {
      clearTimeout(timer);
      resolve(text);
    };
    child.on("error", () => end(""));
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("close", () => end(contextOf(Buffer.concat(chunks).toString("utf8"))));
    child.stdin.end(JSON.stringify(input));
  });
}

function contextOf(text) {
  try {
    return JSON.parse(text).hookSpecificOutput?.additionalContext ?? "";
  } catch {
    // Nothing was said.
    return "";
  }
}

function wordsOf(parts) {
  return parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")
    .trim();
}

/** A message with its tools' results behind it, as tidemark keeps them. */
function toMessages({ info, parts }) {
  const timestamp = new Date(info.time.created).toISOString();
  if (info.role === "user") {
    const content = wordsOf(parts);
    return content === "" ? [] : [{ id: info.id, role: "user", content, timestamp }];
  }
  // An answer that is still being written comes with the next turn.
  if (info.time.completed === undefined) return [];
  const tools = parts.filter((part) => part.type === "tool" && ["completed", "error"].includes(part.state.status));
  const calls = tools.map(({ callID, tool, state }) => ({
    id: callID,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(state.input ?? {}) },
  }));
  const words = wordsOf(parts);
  if (words === "" && calls.length === 0) return [];
  return [
    {
      id: info.id,
      role: "assistant",
      content: words || null,
      timestamp,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    ...tools.map(({ id, callID, state }) => ({
      id,
      role: "tool",
      content: state.output ?? state.error ?? "",
      tool_call_id: callID,
      timestamp,
    })),
  ];
}
