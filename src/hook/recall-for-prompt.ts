import { fenceRecalled } from "../context/fence-recalled.ts";
import { fitTokens } from "../door/fit-tokens.ts";
import { MORE_GATHERED, tellingHits, unseenHits } from "../door/telling-hits.ts";
import type { Memory } from "../memory.ts";
import { DOUBTFUL } from "../recall/doubtful.ts";
import type { Hit } from "../recall/recall.ts";
import { textOf } from "../session/message.ts";

const GATHERED = 10 + MORE_GATHERED;
// A longer message is a document with a question at one of its ends.
const LONGEST_QUESTION = 2000;

/**
 * What memory has on the user's words, fenced as data and within the budget; empty where it has nothing worth the
 * tokens. What this conversation said since it was last cut is in front of the model anyway.
 */
export async function recallForPrompt(memory: Memory, key: string, words: string): Promise<string> {
  const { recallTokens } = memory.config.hooks;
  const question =
    words.length > LONGEST_QUESTION
      ? `${words.slice(0, LONGEST_QUESTION / 2)}\n${words.slice(-LONGEST_QUESTION / 2)}`
      : words;
  if (recallTokens === 0 || !/[\p{L}\p{N}]/u.test(question)) return "";
  const found = await memory.search(question, { key, limit: GATHERED, explain: true });
  if (found.confidence < DOUBTFUL) return "";
  const present = await messagesInSight(memory, key);
  const hits = unseenHits([words], tellingHits(question, found.results)).filter(
    (hit) => !hit.messages.some((id) => present.has(id)),
  );
  // MEMORY.md came at the start, whole.
  const { memoryFolder } = memory.pathsOf(key);
  const others = hits.filter((hit) => hit.path !== `${memoryFolder}/MEMORY.md`);
  const { kept } = await fitTokens(others, recallTokens - FRAME_TOKENS, renderedSize);
  if (kept.length === 0) return "";
  const text = fenceRecalled({ ...found, results: kept }, present);
  return text.includes("<passage") ? text : "";
}

// The sentence before the passages, and the tags around one.
const FRAME_TOKENS = 60;

function renderedSize({ text, path, session }: Hit): string {
  return `<passage source="${session || path}">\n${text}\n</passage>`;
}

/** The ids of the messages that the client still shows to its model. */
async function messagesInSight(memory: Memory, key: string): Promise<Set<string>> {
  if (!memory.hasSession(key)) return new Set();
  const session = await memory.session(key);
  const cut = session.metadata["compacted_at"];
  const messages = session.messages(typeof cut === "number" ? cut : 0);
  return new Set(messages.filter((message) => textOf(message) !== "").map(({ id }) => id));
}
