import type { Conversation, SaidPart } from "./conversation.ts";
import { customInput } from "./read-arguments.ts";

/** The names of the tools that take any text. */
export function customNames({ tools }: Conversation): ReadonlySet<string> {
  return new Set(tools.flatMap(({ name, isCustom }) => (isCustom ? [name] : [])));
}

/** Calls as a client wants them that named a tool as one that takes any text: providers call it with one argument. */
export function restoreCustom(parts: readonly SaidPart[], conversation: Conversation): SaidPart[] {
  const custom = customNames(conversation);
  return parts.map((part) =>
    part.type === "call" && !part.isCustom && custom.has(part.name)
      ? { ...part, arguments: customInput(part.arguments), isCustom: true }
      : part,
  );
}
