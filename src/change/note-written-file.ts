import type { Config } from "../config.ts";
import type { Change } from "../history/change.ts";
import type { StoredMessage } from "../session/message.ts";
import { scopeOf } from "../session/scope-of.ts";
import type { History } from "../history/history.ts";
import type { Queue } from "../store/queue.ts";
import type { Workspace } from "../workspace.ts";
import { appendRecord } from "./carry-out.ts";
import { recordChange } from "./commit.ts";
import { createOriginJudge } from "./origin-judge.ts";
import { recallOutside } from "./remembered-outside.ts";
import { contentWords } from "./said-words.ts";
import { SENTENCES } from "./statement.ts";

/** How many messages are looked at: what an agent writes down, it read not long before. */
export const BASIS_MESSAGES = 100;

/** Where an agent writes, and what was said there. */
interface Place {
  history: History;
  queue: Queue;
  config: Config;
  session(key: string): Promise<{ length: number; messages(from?: number): readonly StoredMessage[] }>;
}

/** Notes of a file that an agent wrote whether it tells what came from outside; `path` is from the workspace. */
export async function noteWrittenFile(
  place: Place & { opened: Workspace },
  key: string,
  { path, text, isLocked = false }: { path: string; text: string; isLocked?: boolean },
): Promise<void> {
  const tool = await toldFromOutside(place, key, text);
  // A file stays known for it until it is removed: a copy, or one more edit, makes nobody's word of it.
  if (tool === undefined) return;
  const scope = scopeOf(key, place.config.memory.scope);
  await (isLocked ? appendRecord : recordChange)(place.opened, outsideFile(scope, path, tool));
}

/** The record that a file tells what a tool brought from outside. */
export function outsideFile(scope: string, path: string, tool: string) {
  return {
    scope,
    author: "agent",
    by: tool,
    cause: "edit",
    outside: { files: [{ path, tool }] },
  } as const satisfies Partial<Change>;
}

/** What brought from outside something that an agent tells in a text; undefined where it tells nothing of the kind. */
export async function toldFromOutside(place: Place, key: string, text: string): Promise<string | undefined> {
  const { config } = place;
  const session = await place.session(key);
  const messages = session.messages(Math.max(0, session.length - BASIS_MESSAGES));
  const remembered = await recallOutside(place, scopeOf(key, config.memory.scope), [text]);
  const judge = createOriginJudge({ session: key, messages, earlier: [], evidence: [], remembered }, config.trust, []);
  const isTold = judge && text.split(SENTENCES).some((part) => contentWords(part).size > 0 && judge.tellsOutside(part));
  return isTold ? judge.tools.join(", ") || "a tool" : undefined;
}
