import { z } from "zod";
import { checkScope, isSameScope } from "../door/check-scope.ts";
import { MemoryError } from "../errors.ts";
import type { Memory } from "../memory.ts";
import type { Operation, OperationInput } from "./api.ts";
import type { Caller } from "./tokens.ts";

/** Runs an operation for a caller: only what they may, and only on what is theirs. */
export async function runFor(
  caller: Caller,
  memory: Memory,
  operation: Operation,
  input: OperationInput,
): Promise<unknown> {
  if (!caller.canWrite && operation.method !== "get") throw refused("this token may only read");
  const { scope } = caller;
  if (scope === undefined) return operation.run(memory, input);
  if (operation.isForAll || operation.path === "/api/status") throw refused("it is about everyone's memory");
  if (operation.path === "/api/sessions") {
    const listed = await memory.listSessions();
    return { ...listed, sessions: listed.sessions.filter(({ key }) => isSameScope(memory, scope, key)), skipped: [] };
  }
  const { key } = input.params;
  if (key !== undefined) checkScope(memory, scope, key);
  return operation.run(memory, {
    params: input.params,
    query: ownSession(memory, scope, operation.query, input.query),
    body: ownSession(memory, scope, operation.body, input.body),
  });
}

const Named = z.looseObject({ session: z.string().optional() });

/** What was asked with the caller's own session where it names none; another's is refused. */
function ownSession(memory: Memory, scope: string, schema: z.ZodObject | undefined, asked: unknown): unknown {
  if (schema === undefined || !("session" in schema.shape)) return asked;
  const named = Named.parse(asked ?? {});
  if (named.session !== undefined) checkScope(memory, scope, named.session);
  return { ...named, session: named.session ?? scope };
}

function refused(why: string): MemoryError {
  return new MemoryError("PATH_REFUSED", `Refused: ${why}`);
}
