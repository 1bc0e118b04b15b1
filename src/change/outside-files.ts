import type { SessionLog } from "../session/log.ts";
import type { Workspace } from "../workspace.ts";
import { OUTSIDE_MARK } from "./origin.ts";
import { createOriginJudge } from "./origin-judge.ts";
import { recallOutside } from "./remembered-outside.ts";
import { contentWords } from "./said-words.ts";
import { SENTENCES } from "./stated.ts";

// What an agent writes down, it read not long before.
const BASIS_MESSAGES = 100;

/** Notes of a file that an agent wrote whether it tells what came from outside; `path` is from the workspace. */
export async function noteWrittenFile(
  workspace: Workspace,
  log: SessionLog,
  { path, text }: { path: string; text: string },
): Promise<void> {
  const messages = await log.before(log.length, BASIS_MESSAGES, log.identity);
  const remembered = await recallOutside(workspace.state, workspace.filesOf(log.key).scope, [text]);
  const basis = { session: log.key, messages, earlier: [], evidence: [], remembered };
  const judge = createOriginJudge(basis, workspace.config.trust, []);
  const isTold = judge && text.split(SENTENCES).some((part) => contentWords(part).size > 0 && judge.tellsOutside(part));
  // A file stays known for it until it is removed: a copy, or one more edit, makes nobody's word of it.
  if (isTold) await workspace.state.noteOutsideFile(path, judge.tools.join(", ") || "a tool");
}

/** A text with a mark where one of the files that it was read from tells what came from outside. */
export async function markFileText(
  { state }: Pick<Workspace, "state">,
  paths: readonly string[],
  text: string,
): Promise<string> {
  const found = await state.findOutsideFiles(paths);
  if (found.length === 0) return text;
  return `${text}\n${OUTSIDE_MARK}${[...new Set(found.map(({ tool }) => tool))].join(", ")}]`;
}
