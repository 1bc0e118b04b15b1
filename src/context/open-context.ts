import { join, relative } from "node:path";
import { noteOutsideEdit } from "../change/apply.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { SearchRequest } from "../recall/create-recall.ts";
import type { Answer } from "../recall/recall.ts";
import type { Session } from "../session/session.ts";
import type { Workspace } from "../workspace.ts";
import { fenceRecalled } from "./recalled-passages.ts";
import { buildTurnContext } from "./turn-context.ts";
import type { TurnContext } from "./turn-context.ts";

// Enough to choose from; how many are shown is a matter of the budget.
const RECALLED = 20;

type Search = (query: string, request: SearchRequest) => Promise<Answer>;

/** What the model is shown with the next message of a session, over an open workspace. */
export function openContext(
  workspace: Workspace,
  search: Search,
): (session: Session, words: string) => Promise<TurnContext> {
  const { config, timezone, now, state } = workspace;
  return (session, words) => {
    const files = workspace.filesOf(session.key);
    return buildTurnContext(
      {
        workspace: workspace.path,
        memoryPath: relative(workspace.path, join(files.folder, MEMORY_FILE)).replaceAll("\\", "/"),
        memoryBudgetTokens: config.agents.defaults.memoryBudgetTokens,
        timezone,
        now,
        readMemory: () =>
          files.exclusively(async () => {
            const text = await files.read(MEMORY_FILE);
            await noteOutsideEdit(workspace, files, text);
            return { text, revision: (await state.latestRevision(files.scope, MEMORY_FILE))?.id ?? 0 };
          }),
        readRevision: async (id) => (id === 0 ? "" : (await state.readRevision(id))?.text),
        recall: (question) => recallFor(workspace, search, session, question),
        notice: (text) => workspace.emit({ type: "notice", text }),
      },
      session,
      words,
    );
  };
}

async function recallFor(
  workspace: Workspace,
  search: Search,
  session: Session,
  words: string,
): Promise<string | undefined> {
  if (!workspace.config.agents.defaults.autoRecall || words.trim() === "") return undefined;
  const scopes = [workspace.filesOf(session.key).scope];
  const found = await search(words, { limit: RECALLED, scopes, explain: true });
  return fenceRecalled(found, new Set(session.messages(session.cursor).map(({ id }) => id)));
}
