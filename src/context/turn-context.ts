import { countOf } from "../language/count-of.ts";
import { z } from "zod";
import type { Session } from "../session/session.ts";
import type { Documents } from "../store/documents.ts";
import type { Clock } from "../time.ts";
import { buildRunTimeContext } from "./build-run-time-context.ts";
import { chooseShownMemory } from "./shown-memory.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

/** What a turn's context is made of. */
export interface ContextSources {
  documents: Documents;
  memoryPath: string;
  memoryBudgetTokens: number;
  timezone: string;
  now: Clock;
  /** MEMORY.md as it is, and the number of the revision that holds this text. */
  readMemory(): Promise<{ text: string; revision: number }>;
  readRevision(revision: number): Promise<string | undefined>;
  /** Passages for these words, as text; undefined where recall is off or has nothing. */
  recall(words: string): Promise<string | undefined>;
  notice(text: string): void;
}

/** What the model is shown in one turn besides what was said. */
export interface TurnContext {
  /** The blocks of the system prompt. */
  system: string[];
  /** Goes out before the user's words and is stored with them. */
  context: string;
  /** Stored with the user's message: which state of MEMORY.md the prompt holds, and since which cursor. */
  memory_shown: { revision: number; cursor: number };
}

const Marker = z.object({ memory_shown: z.object({ revision: z.number(), cursor: z.number() }) });

/** Builds what the model sees with the next message of a session. */
export async function buildTurnContext(sources: ContextSources, session: Session, words: string): Promise<TurnContext> {
  const { cursor } = session;
  const waiting = session.messages(cursor);
  const current = await sources.readMemory();
  const marker = waiting
    .map((message) => Marker.safeParse(message).data?.memory_shown)
    .findLast((shown) => shown !== undefined);
  // A cursor that moved has changed the messages as well: nothing is left to keep stable.
  const earlier = marker?.cursor === cursor ? await readEarlier(sources, current, marker.revision) : undefined;
  const said = waiting.map(({ content, context }) => `${JSON.stringify(content)}${context ?? ""}`).join("\n");
  const shown = chooseShownMemory(current.text, earlier, said);
  const { blocks, leftOut } = await buildSystemPrompt(sources.documents, {
    memory: shown.text,
    memoryBudgetTokens: sources.memoryBudgetTokens,
    memoryPath: sources.memoryPath,
    summary: z.string().optional().catch(undefined).parse(session.metadata["summary"]),
  });
  if (leftOut > 0) {
    sources.notice(
      `MEMORY.md is over its budget of ${sources.memoryBudgetTokens} tokens: ${countOf(leftOut, "fact")} left out of the prompt (they stay in the file)`,
    );
  }
  const isKept = earlier !== undefined && shown.text === earlier;
  return {
    system: blocks,
    context: buildRunTimeContext({
      now: sources.now(),
      timezone: sources.timezone,
      session: session.key,
      news: shown.news,
      recalled: await sources.recall(words),
    }),
    memory_shown: { revision: isKept && marker ? marker.revision : current.revision, cursor },
  };
}

async function readEarlier(
  sources: ContextSources,
  current: { text: string; revision: number },
  revision: number,
): Promise<string | undefined> {
  return revision === current.revision ? current.text : sources.readRevision(revision);
}
