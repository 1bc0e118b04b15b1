import type { Session } from "../session/session.ts";

const LOST =
  "Error: the program stopped before this call finished; it may or may not have taken effect. Check before you run it again.";

/**
 * Completes the calls that a crash left without results, so that the results that are there can be sent and nothing is
 * run twice. Only the end of a session can be in that state.
 */
export async function completeCalls(session: Session, text = LOST): Promise<number> {
  const waiting = session.messages(session.cursor);
  const last = waiting.findLastIndex(({ role }) => role !== "tool");
  const call = waiting[last];
  if (call?.role !== "assistant") return 0;
  const answered = new Set(waiting.slice(last + 1).map(({ tool_call_id }) => tool_call_id));
  const open = (call.tool_calls ?? []).filter(({ id }) => id !== undefined && !answered.has(id));
  await session.appendAll(
    open.map(({ id, function: called }) => ({
      role: "tool" as const,
      content: text,
      tool_call_id: id ?? "",
      ...(called ? { name: called.name } : {}),
    })),
  );
  return open.length;
}
