import { countOf } from "../../language/count-of.ts";
import { z } from "zod";
import { isSameScope } from "../check-scope.ts";
import { readOverview } from "../overview.ts";
import { createVerb } from "../verb.ts";

/** Tells how memory stands. */
export const memoryStatus = createVerb(
  {
    name: "memory_status",
    title: "Memory status",
    description:
      "Shows how much is remembered, what is waiting to be digested, and what is waiting for a person's decision.",
    input: z.object({}),
    output: z.object({
      model: z.string().nullable(),
      facts: z.number(),
      sessions: z.number(),
      messages: z.number(),
      waiting: z.number().describe("messages not digested yet"),
      held: z.number().describe("changes waiting for a person"),
      jobs: z.object({ pending: z.number(), leased: z.number(), dead: z.number() }),
      lastRun: z.object({ at: z.string(), outcome: z.string(), session: z.string() }).nullable(),
    }),
    effect: "reads",
  },
  async (_, { memory, session }) => {
    // Where users have memories of their own, each is told of theirs alone.
    const isOwnSession = (other: string) => isSameScope(memory, session, other);
    const overview = await readOverview(memory, session, isOwnSession);
    const { model, memory: known, sessions, messages, waiting, held, jobs, lastRun } = overview;
    const isOwn = lastRun !== null && isOwnSession(lastRun.session);
    const last = isOwn ? { at: lastRun.finishedAt, outcome: lastRun.outcome, session: lastRun.session } : null;
    const text = `${countOf(known.facts, "fact")}; ${countOf(messages, "message")} in ${countOf(sessions, "session")}, ${waiting} not digested yet; ${countOf(held, "change")} for a person to decide.`;
    return { text, value: { model, facts: known.facts, sessions, messages, waiting, held, jobs, lastRun: last } };
  },
);
