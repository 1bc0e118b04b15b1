import { createHash } from "node:crypto";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { parseTimestamp } from "../time.ts";
import { encodeKey } from "./file-name.ts";
import type { MessageInput } from "./message.ts";
import { DEEPEST, isDeeperThan } from "./parse-json-line.ts";
import type { NumberedLine } from "./read-lines.ts";
import { shorten } from "../visible-text.ts";

/** A line of an import: a message, and the session that it belongs to. Other fields go along. */
const ImportLine = z.looseObject({
  session: z
    .string({ error: "must be a session's key" })
    .refine((key) => key.trim() !== "", { error: "must not be empty" }),
  id: z
    .union([z.string().min(1), z.number()], { error: "must be text or a number" })
    .nullish()
    .transform((id) => ((id ?? undefined) === undefined ? undefined : String(id))),
  role: z.enum(["user", "assistant", "tool", "system"], { error: "must be user, assistant, tool or system" }),
  name: z
    .string({ error: "must be text" })
    .nullish()
    .transform((name) => name ?? undefined),
  content: z.union([z.string(), z.array(z.unknown()), z.null()], { error: "must be text, a list of parts, or null" }),
  timestamp: z
    .union([z.string(), z.number()], { error: "must be text or a number" })
    .nullish()
    .transform((timestamp) => timestamp ?? undefined),
  tool_calls: z.array(z.unknown(), { error: "must be a list" }).nullish(),
  tool_call_id: z.string({ error: "must be text" }).nullish(),
  context: z.string({ error: "must be text" }).optional(),
});

/** A message to import; its id is the same each time. */
export interface ImportedMessage {
  session: string;
  message: MessageInput & { id: string };
}

/** Understands one line; `place` names it in an error. */
export function parseImportLine(line: NumberedLine, name: string, naming: ImportNaming): ImportedMessage {
  const place = `${name}:${line.number}`;
  const parsed = ImportLine.safeParse(parseJson(line.text, place));
  if (!parsed.success) throw refusal(place, parsed.error.issues[0]);
  if (isDeeperThan(parsed.data, DEEPEST))
    throw new MemoryError("IMPORT_INVALID", `${place} is nested deeper than ${DEEPEST} levels`);
  const { session, id, name: speaker, timestamp, ...rest } = parsed.data;
  if (timestamp !== undefined && parseTimestamp(timestamp, naming.timezone) === undefined) {
    throw new MemoryError(
      "IMPORT_INVALID",
      `${place}: timestamp ${JSON.stringify(timestamp)} is not a time; use one such as 2026-11-15T09:30:00Z`,
    );
  }
  // Throws for a key that no file can have.
  encodeKey(session);
  const said = {
    ...rest,
    ...(speaker === undefined ? {} : { name: speaker }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
  return { session, message: { ...said, id: id ?? naming.nameOf(session, said) } };
}

/** Gives ids to lines without one. */
export interface ImportNaming {
  timezone: string;
  nameOf(session: string, said: object): string;
}

/**
 * An id made of what was said, so that a second import knows the message again. The same words said twice in one
 * session are told apart by counting, so one naming serves one pass over a file.
 */
export function createNaming(timezone: string): ImportNaming {
  const times = new Map<string, number>();
  return {
    timezone,
    nameOf(session, said) {
      const hash = createHash("sha256")
        .update(JSON.stringify([session, said]))
        .digest("hex")
        .slice(0, 16);
      const count = (times.get(hash) ?? 0) + 1;
      times.set(hash, count);
      return count === 1 ? hash : `${hash}-${count}`;
    },
  };
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MemoryError("IMPORT_INVALID", `${place} is not valid JSON: ${shorten(text, 60)}`, { cause: error });
  }
}

function refusal(place: string, issue: z.core.$ZodIssue | undefined): MemoryError {
  const key = issue?.path.join(".");
  if (!key) return new MemoryError("IMPORT_INVALID", `${place} must be an object {session, role, content, …}`);
  return new MemoryError("IMPORT_INVALID", `${place}: ${key} ${issue?.message ?? "is not valid"}`);
}
