interface Sent {
  role: string;
  content: unknown;
  tool_calls?: readonly unknown[] | undefined;
  tool_call_id?: string | undefined;
}

/** Why a strict provider would refuse these messages; undefined when it would not. */
export function findIllegal(messages: readonly Sent[]): string | undefined {
  if (messages.length > 0 && messages[0]?.role !== "user") return `begins with ${messages[0]?.role}`;
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const place = `message ${index} (${message.role})`;
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? "")) return `${place} answers no open call`;
      continue;
    }
    if (open.size > 0) return `${place} comes before the results of ${[...open].join(", ")}`;
    if (message.role === "user") continue;
    if (message.role !== "assistant") return `${place} has an unknown role`;
    const calls = (message.tool_calls ?? []) as { id?: string }[];
    if (calls.length === 0 && (message.content === null || message.content === "")) return `${place} says nothing`;
    const ids = calls.map(({ id }) => id ?? "");
    if (ids.includes("") || new Set(ids).size !== ids.length) return `${place} has calls without ids of their own`;
    open = new Set(ids);
  }
  return open.size > 0 ? `the results of ${[...open].join(", ")} are missing` : undefined;
}
