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
      lastChange: z.object({ at: z.string(), outcome: z.string(), session: z.string() }).nullable(),
    }),
    effect: "reads",
  },
  async (_, { memory, session }) => {
    // Where users have memories of their own, each is told of theirs alone.
    const isOwnSession = (other: string) => isSameScope(memory, session, other);
    const overview = await readOverview(memory, session, isOwnSession);
    const { model, memory: known, sessions, messages, waiting, held, jobs, lastChange } = overview;
    const isOwn = lastChange !== null && isOwnSession(lastChange.session);
    const last = isOwn ? { at: lastChange.at, outcome: lastChange.outcome, session: lastChange.session } : null;
    const text = `${countOf(known.facts, "fact")}; ${countOf(messages, "message")} in ${countOf(sessions, "session")}, ${waiting} not digested yet; ${countOf(held, "change")} for a person to decide.`;
    return { text, value: { model, facts: known.facts, sessions, messages, waiting, held, jobs, lastChange: last } };
  },
);
