import { MEMORY_FILE } from "../files/memory-files.ts";
import type { SessionLog } from "../session/log.ts";
import type { StoredMessage } from "../session/message.ts";
import { findDue } from "./consolidate.ts";
import type { ConsolidationRequest } from "./consolidate.ts";
import { digestStretch } from "./digest.ts";
import { planMemory } from "./plan.ts";
import type { World } from "./world.ts";

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
  world: World,
  log: SessionLog,
  request: PreviewRequest = {},
): Promise<Preview> {
  const { key: session, cursor, length: messages } = log;
  const due = await findDue(world, log, { all: request.all });
  if (!due) return { session, cursor, messages };
  const preview: Preview = {
    session,
    cursor,
    messages,
    due: { ...due.stretch, cause: due.cause, messages: due.messages },
  };
  const { consolidation, agents } = world.config;
  const hasModel = (consolidation.model ?? agents.defaults.model) !== undefined;
  return request.plan && !hasModel ? { ...preview, plan: await planDigest(world, session, due.messages) } : preview;
}

async function planDigest(world: World, session: string, messages: readonly StoredMessage[]): Promise<Preview["plan"]> {
  const base = await world.filesOf(session).read(MEMORY_FILE);
  const { answer } = digestStretch(messages, base, world.timezone);
  const plan = planMemory(base, world.clean(answer.memory_update), base, answer.removed);
  return {
    entry: world.clean(answer.history_entry),
    added: plan.added,
    reworded: plan.reworded,
    retired: plan.retired.map(({ fact }) => fact),
  };
}
