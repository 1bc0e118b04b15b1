import { MEMORY_FILE } from "../layout.ts";
import type { SessionLog } from "../session/log.ts";
import type { StoredMessage } from "../session/message.ts";
import { findDue } from "./consolidate.ts";
import type { ConsolidationRequest } from "./consolidate.ts";
import { digestStretch } from "./digest.ts";
import { planProposal } from "../change/plan-proposal.ts";
import type { Workspace } from "../workspace.ts";

/** What to look at before a consolidation; `plan` also makes the digest where no model has to be asked. */
export interface PreviewRequest extends Pick<ConsolidationRequest, "all"> {
  plan?: boolean | undefined;
}

/** What a consolidation would do now. */
export interface Preview {
  session: string;
  cursor: number;
  messages: number;
  /** The stretch that would be digested, and why; absent when nothing is due. */
  due?: { from: number; to: number; cause: string; messages: readonly StoredMessage[] };
  plan?: { entry: string; added: string[]; reworded: { before: string; after: string }[]; retired: string[] };
}

/** Tells what a consolidation would do, without a model and without writing anything. */
export async function previewConsolidation(
  workspace: Workspace,
  log: SessionLog,
  request: PreviewRequest = {},
): Promise<Preview> {
  const { key: session, cursor, length: messages } = log;
  const due = await findDue(workspace, log, { all: request.all });
  if (!due) return { session, cursor, messages };
  const preview: Preview = {
    session,
    cursor,
    messages,
    due: { ...due.stretch, cause: due.trigger, messages: due.messages },
  };
  const { consolidation, agents } = workspace.config;
  const hasModel = (consolidation.model ?? agents.defaults.model) !== undefined;
  return request.plan && !hasModel ? { ...preview, plan: await planDigest(workspace, session, due.messages) } : preview;
}

async function planDigest(
  workspace: Workspace,
  session: string,
  messages: readonly StoredMessage[],
): Promise<Preview["plan"]> {
  const base = await workspace.filesOf(session).read(MEMORY_FILE);
  const { answer } = digestStretch(messages, base, workspace.timezone);
  const { edits } = planProposal(base, workspace.clean(answer.memory_update), base, answer.removed);
  return {
    entry: workspace.clean(answer.history_entry),
    added: edits.flatMap((edit) => (edit.kind === "add" ? [edit.text] : [])),
    reworded: edits.flatMap((edit) => (edit.kind === "replace" ? [{ before: edit.text, after: edit.words }] : [])),
    retired: edits.flatMap((edit) => (edit.kind === "remove" ? [edit.text] : [])),
  };
}
