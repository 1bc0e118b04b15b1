import type { Config } from "../config.ts";
import type { StoredMessage } from "../session/message.ts";
import { scopeOf } from "../session/scope-of.ts";
import type { State } from "../state/state.ts";
import { createOriginJudge } from "./origin-judge.ts";
import { recallOutside } from "./remembered-outside.ts";
import { contentWords } from "./said-words.ts";
import { SENTENCES } from "./statement.ts";

/** How many messages are looked at: what an agent writes down, it read not long before. */
export const BASIS_MESSAGES = 100;

/** Where an agent writes, and what was said there. */
interface Place {
  state: State;
  config: Config;
  session(key: string): Promise<{ length: number; messages(from?: number): readonly StoredMessage[] }>;
}

/** Notes of a file that an agent wrote whether it tells what came from outside; `path` is from the workspace. */
export async function noteWrittenFile(
  place: Place,
  key: string,
  { path, text }: { path: string; text: string },
): Promise<void> {
  const tools = await toldFromOutside(place, key, text);
  // A file stays known for it until it is removed: a copy, or one more edit, makes nobody's word of it.
  if (tools !== undefined) await place.state.noteOutsideFile(path, tools);
}

/** What brought from outside something that an agent tells in a text; undefined where it tells nothing of the kind. */
export async function toldFromOutside(place: Place, key: string, text: string): Promise<string | undefined> {
  const { state, config } = place;
  const session = await place.session(key);
  const messages = session.messages(Math.max(0, session.length - BASIS_MESSAGES));
  const remembered = await recallOutside(state, scopeOf(key, config.memory.scope), [text]);
  const judge = createOriginJudge({ session: key, messages, earlier: [], evidence: [], remembered }, config.trust, []);
  const isTold = judge && text.split(SENTENCES).some((part) => contentWords(part).size > 0 && judge.tellsOutside(part));
  return isTold ? judge.tools.join(", ") || "a tool" : undefined;
}
