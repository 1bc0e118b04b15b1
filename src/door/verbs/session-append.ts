import { countOf } from "../../language/count-of.ts";
import { basename } from "node:path";
import { z } from "zod";
import { appendNew } from "../append-new.ts";
import { checkScope } from "../check-scope.ts";
import { createVerb } from "../verb.ts";
import { showName } from "../../visible-text.ts";
import { ARCHIVE_PATH } from "../../layout.ts";

/** Records what was said. */
export const sessionAppend = createVerb(
  {
    name: "session_append",
    title: "Record what was said",
    description:
      "Stores messages of a conversation word for word, so that they can be found later and are digested into memory. Use it at the end of a turn that is worth keeping.",
    input: z.object({
      messages: z
        .array(
          z.object({
            role: z.enum(["user", "assistant", "tool", "system"]),
            content: z.string(),
            name: z.string().optional(),
            id: z.string().min(1).optional().describe("a message whose id is already known is not stored again"),
            origin: z.literal("untrusted").optional().describe("set where the words came from outside"),
          }),
        )
        .min(1)
        .max(200),
      session: z.string().min(1).optional().describe("a key such as cursor:project; the server's own by default"),
    }),
    output: z.object({ session: z.string(), stored: z.number(), known: z.number(), length: z.number() }),
    effect: "adds",
  },
  async ({ messages, session: key }, call) => {
    const session = key ?? call.session;
    checkScope(call.memory, call.session, session);
    const { stored, known, length } = await appendNew(call.memory, session, messages);
    const text = `${countOf(stored.length, "message")} stored in ${showName(session)}, which holds ${length}.`;
    return { text, value: { session, stored: stored.length, known, length } };
  },
);

/** Ends a session and starts an empty one. */
export const sessionNew = createVerb(
  {
    name: "session_new",
    title: "Start a new session",
    description:
      "Ends a session and starts an empty one. What was said is kept in the archive and digested into memory.",
    input: z.object({ session: z.string().min(1).optional().describe("the server's own by default") }),
    output: z.object({ session: z.string(), archive: z.string().nullable() }),
    effect: "adds",
  },
  async ({ session: key }, call) => {
    const session = key ?? call.session;
    checkScope(call.memory, call.session, session);
    const { archive: path } = await call.memory.startNew(session);
    const archive = path === undefined ? null : `${ARCHIVE_PATH}/${basename(path)}`;
    const text =
      archive === null
        ? `${showName(session)} was already empty.`
        : `${showName(session)} starts over; what was said is in ${archive}.`;
    return { text, value: { session, archive } };
  },
);
