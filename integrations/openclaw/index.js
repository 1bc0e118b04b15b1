import { spawn } from "node:child_process";
import { createHash } from "node:crypto";

/** OpenClaw's memory slot: memory at the start, recall with a message, words out after each turn. */
// oxlint-disable-next-line import/no-default-export -- OpenClaw takes a plugin as its default export
export default {
  id: "tidemark",
  name: "Tidemark",
  description: "Memory over plain files.",
  kind: "memory",
  register(api) {
    const { workspace, command: [command = "tidemark", ...args] = [] } = api.pluginConfig ?? {};
    const place = workspace === undefined ? [] : ["-w", workspace];
    const hook = async (event, input) =>
      contextOf(await run(command, [...args, "hook", event, "--client", "openclaw", ...place], JSON.stringify(input)));

    api.registerMemoryCapability({
      promptBuilder: () => [
        "Memory of earlier conversations comes with each message; the memory_search tool of tidemark finds more.",
      ],
    });
    api.on("before_prompt_build", async (event, context) => {
      // Heartbeats and jobs are nobody's words.
      if (context?.trigger !== undefined && context.trigger !== "user") return undefined;
      const session_id = sessionOf(context);
      const prompt = event.currentUserMessage ?? event.prompt ?? "";
      const [memory, recalled] = await Promise.all([
        hook("SessionStart", { session_id }),
        hook("UserPromptSubmit", { session_id, prompt, messages: [] }),
      ]);
      return {
        ...(memory === "" ? {} : { appendSystemContext: memory }),
        ...(recalled === "" ? {} : { prependContext: recalled }),
      };
    });
    const takeWords = (name) => async (event, context) => {
      if (context?.trigger !== undefined && context.trigger !== "user") return;
      const session_id = sessionOf(context);
      await hook(name, {
        session_id,
        messages: (event.messages ?? []).flatMap((message) => toMessages(message, session_id)),
      });
    };
    api.on("agent_end", takeWords("Stop"));
    api.on("before_compaction", takeWords("PreCompact"));
    api.on("session_end", (event, context) =>
      hook("SessionEnd", { session_id: sessionOf({ ...context, ...event }), messages: [] }),
    );
  },
};

/** The key of a conversation, as an import of OpenClaw's own transcripts has it; the id changes with each /new. */
function sessionOf(context) {
  return context?.sessionKey?.replace(/^agent:/, "") ?? context?.sessionId ?? "main";
}

/** What a program printed; nothing where it failed or took too long. */
function run(command, args, input) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    const chunks = [];
    const timer = setTimeout(() => child.kill(), 10_000);
    const end = (text) => {
      clearTimeout(timer);
      resolve(text);
    };
    child.on("error", () => end(""));
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("close", () => end(Buffer.concat(chunks).toString("utf8")));
    child.stdin.end(input);
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

/** A message as tidemark keeps it; its id is made of what does not change, because OpenClaw's may. */
function toMessages(message, session) {
  const { role, timestamp } = message;
  const blocks =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : (message.content ?? []);
  const content = blocks
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n")
    .trim();
  const id = createHash("sha256")
    .update(JSON.stringify([session, role, timestamp, content]))
    .digest("hex")
    .slice(0, 16);
  const time = timestamp === undefined ? {} : { timestamp: new Date(timestamp).toISOString() };
  if (role === "user") return content === "" ? [] : [{ id, role, content, ...time }];
  if (role === "toolResult") return [{ id, role: "tool", content, tool_call_id: message.toolCallId, ...time }];
  if (role !== "assistant") return [];
  const calls = blocks
    .filter((block) => block.type === "toolCall")
    .map((block) => ({
      id: block.id,
      type: "function",
      function: { name: block.name, arguments: JSON.stringify(block.arguments ?? {}) },
    }));
  if (content === "" && calls.length === 0) return [];
  return [{ id, role, content: content || null, ...time, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}
