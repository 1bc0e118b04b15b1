import { settleOutsideEdits } from "../change/outside-edits.ts";
import { MemoryError } from "../errors.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { MEMORY_FILE } from "../layout.ts";
import type { SearchRequest } from "../recall/create-recall.ts";
import type { Answer } from "../recall/recall.ts";
import type { Session } from "../session/session.ts";
import type { Workspace } from "../workspace.ts";
import { fenceRecalled } from "./fence-recalled.ts";
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
        documents: workspace.documents,
        memoryPath: `${files.folder}/${MEMORY_FILE}`,
        memoryBudgetTokens: config.agents.defaults.memoryBudgetTokens,
        timezone,
        now,
        readMemory: () => readShownMemory(workspace, files),
        readRevision: async (id) => (id === 0 ? "" : (await state.readRevision(id))?.text),
        recall: (question) => recallFor(workspace, search, session, question),
        notice: (text) => workspace.emit({ type: "notice", text }),
      },
      session,
      words,
    );
  };
}

// A turn must not stand still because someone else does.
const MEMORY_WAIT_MS = 1000;

/** The memory that a turn shows: with a person's edits on record, or as it lies there while someone else holds it. */
async function readShownMemory(workspace: Workspace, files: MemoryFiles): Promise<{ text: string; revision: number }> {
  const show = async (text: string) => {
    const latest = await workspace.state.latestRevision(files.scope, MEMORY_FILE);
    return { text, revision: latest?.id ?? 0 };
  };
  const showAlone = async (text: string) => {
    try {
      return await show(text);
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      return { text, revision: 0 };
    }
  };
  const settle = async () => {
    return show(await settleOutsideEdits(workspace, files));
  };
  try {
    return await files.exclusively(settle, MEMORY_WAIT_MS);
  } catch (error) {
    // A turn goes on with what can be read: what was said must be answered, whatever is wrong with a file.
    if (!(error instanceof MemoryError)) throw error;
    workspace.emit({ type: "notice", text: error.message });
    return showAlone(await readAsShown(files));
  }
}

/** MEMORY.md for whoever only shows it; empty where it cannot be read at all. */
export async function readAsShown(files: MemoryFiles): Promise<string> {
  try {
    return await files.read(MEMORY_FILE);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return "";
  }
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
