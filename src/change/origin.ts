import { z } from "zod";
import type { Config } from "../config.ts";
import { textOf } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";
import { splitOwnText } from "./own-text.ts";

/** What someone said, and when. */
export interface Said {
  text: string;
  at: unknown;
  /** The outside had been read by then. */
  isAfter: boolean;
}

/** The messages of a stretch by whose word they are. */
export interface Origins {
  /** What came from outside, word for word. */
  outside: string[];
  /** What the assistant said once it had read the outside. */
  retold: string[];
  /** The user's own statements, message by message. */
  own: Said[];
  /** All that the user said, questions and requests too. */
  asked: Said[];
  /** What nobody from outside had a hand in: local tools, and the assistant before it read the outside. */
  other: string[];
  /** What brought the outside in. */
  tools: string[];
  /** The messages that came from outside, or retold what did. */
  ids: string[];
}

/** What a setting says of tools: which are local, and which are not whatever else is said. */
export type ToolRules = Config["trust"];

/** Stands at the end of a diary entry that tells what came from outside. */
export const OUTSIDE_MARK = "[untrusted: from outside, by ";

/** Says of a hit that is shown to a model that it came from outside. */
export const OUTSIDE_HIT = "untrusted: from outside, no one's word";

/** Sorts messages by origin. An assistant that has read the outside speaks for it from then on. */
export function sortByOrigin(messages: readonly StoredMessage[], rules: ToolRules, wasTainted = false): Origins {
  const origins: Origins = { outside: [], retold: [], own: [], asked: [], other: [], tools: [], ids: [] };
  const calls = new Map<string, Call>();
  let isTainted = wasTainted;
  const takeOutside = (text: string, tool: string): void => {
    isTainted = true;
    origins.outside.push(text);
    origins.tools.push(tool);
  };
  for (const message of messages) {
    for (const { id, function: call } of message.tool_calls ?? []) {
      if (id !== undefined && call) calls.set(id, { name: call.name, input: JSON.stringify(call.arguments ?? "") });
    }
    const text = `${message.name ?? ""} ${textOf(message)}`;
    const isAfter = isTainted;
    const tool = outsideTool(message, calls.get(message.tool_call_id ?? ""), rules);
    if (isMarked(message.context ?? "")) takeOutside(message.context ?? "", "memory");
    if (tool !== undefined || (message.role === "assistant" && isTainted)) origins.ids.push(message.id);
    if (tool !== undefined) takeOutside(text, tool);
    else if (message.role === "user") {
      const { own, pasted } = splitOwnText(textOf(message));
      if (pasted !== "") takeOutside(pasted, "what the user pasted");
      if (hasAttachment(message)) takeOutside("", "what the user attached");
      const said = `${message.name ?? ""} ${own}`;
      origins.own.push({ text: statementsIn(said).join(" "), at: message.timestamp, isAfter });
      origins.asked.push({ text: said, at: message.timestamp, isAfter });
    } else if (message.role === "assistant" && isTainted) origins.retold.push(text);
    else origins.other.push(text);
  }
  origins.tools = [...new Set(origins.tools)];
  return origins;
}

/** Whether a message came with a document or a picture: what the assistant says of it is not the user's word. */
function hasAttachment({ content }: StoredMessage): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((part) => {
    const { type, text } = Attachment.safeParse(part).data ?? {};
    return /image|file|document|video/.test(type ?? "") || /^\[(?:image|file)(?::[^\]]*)?\]$/.test(text ?? "");
  });
}

const Attachment = z.looseObject({ type: z.string().optional(), text: z.string().optional() });

/** Whether a text that we made holds a passage that came from outside. */
export function isMarked(text: string): boolean {
  if (text.includes(OUTSIDE_MARK) || text.includes(OUTSIDE_HIT)) return true;
  // In a prompt, and in the data that programs are given instead of a text.
  return /<passage [^>\n]*untrusted="true"|\\?"untrusted\\?":\s?true/.test(text);
}

/** Whether a path of the workspace is a document: others wrote it. */
export function isDocument(path: string): boolean {
  return /^(?:docs|memory\/(?:scopes\/[^/]+\/)?imported)\//i.test(path);
}

/** Whether the arguments of a call name documents. */
export function namesDocument(input: string): boolean {
  return /(?:^|[\s"'\\/=])(?:docs|imported)(?:\/|\\|["'\s]|$)/i.test(input);
}

interface Call {
  name: string;
  input: string;
}

/** What brought a message in from outside; undefined where nothing did. */
function outsideTool(message: StoredMessage, call: Call | undefined, rules: ToolRules): string | undefined {
  const name = call?.name ?? message.name ?? "";
  if (message.origin === "untrusted") return name === "" ? message.role : name;
  // What a program put before the model (retrieved passages, another agent's notes) is nobody's word.
  if (message.role === "system") return name === "" ? "a system message" : name;
  if (message.role !== "tool" && message.role !== "function") return undefined;
  const isNamed = rules.untrustedTools.some((rule) => isCallOf(rule, name, call));
  const isLocal = rules.localTools.some((rule) => isCallOf(rule, name, call));
  const readsDocument = call !== undefined && namesDocument(call.input);
  const isOurs = isLocal && !isNamed && !readsDocument && !isMarked(textOf(message));
  return isOurs ? undefined : name || "a tool without a name";
}

/** Whether a rule names this call: `exec` all of them, `exec curl` those with that command. */
function isCallOf(rule: string, name: string, call: Call | undefined): boolean {
  const [tool = "", command] = rule.split(" ");
  if (tool.toLowerCase() !== name.toLowerCase()) return false;
  return command === undefined || (call !== undefined && new RegExp(`\\b${escape(command)}\\b`, "i").test(call.input));
}

function escape(text: string): string {
  return text.replaceAll(/[^\w]/g, String.raw`\$&`);
}

// A question or a request names things without saying that they are so.
const ASKING =
  /\?\s*$|^\s*(?:please\s+|can you\s+|could you\s+)*(?:read|open|fetch|get|visit|browse|look|check|search|find|summari[sz]e|tell|show|what|who|where|when|why|how|which|is|are|do|does|did|can|could|would|translate|explain|compare|list|download|go)\b/i;
const LINK = /https?:\/\/\S+/g;

function statementsIn(text: string): string[] {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text.replaceAll(LINK, " "))];
  return sentences.map(({ segment }) => segment.trim()).filter((sentence) => sentence !== "" && !ASKING.test(sentence));
}
