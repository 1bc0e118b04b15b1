import { basename, join } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { HISTORY_FILE, MEMORY_FILE } from "../layout.ts";
import { Message } from "../session/message.ts";
import type { MessageInput } from "../session/message.ts";
import { createFound, createSkips, factsOf, idOf } from "./found.ts";
import type { Found } from "./found.ts";
import { isFolder, listNames, readIfThere, readJsonLines } from "./read-source.ts";

const Metadata = z.looseObject({
  _type: z.literal("metadata"),
  key: z.string().optional().catch(undefined),
  last_consolidated: z.int().min(0).catch(0),
});
const Role = z.enum(["user", "assistant", "tool", "system"]);
const PROMPT_FILES = ["USER.md", "SOUL.md", "AGENTS.md", "TOOLS.md"];

/**
 * Reads a folder of nanobot's, or of autobot's, which has the same form: the workspace with memory/ and sessions/, or
 * the folder above it.
 */
export async function readNanobot(path: string): Promise<Found> {
  const found = createFound();
  const roots = [path, join(path, "workspace")];
  let hasAnything = false;
  for (const root of roots) {
    if (await isFolder(join(root, "memory"))) hasAnything = true;
    await readMemoryFolder(found, root);
    for (const name of await listNames(join(root, "sessions"), ".jsonl")) {
      hasAnything = true;
      await readSession(found, join(root, "sessions", name));
    }
  }
  if (!hasAnything) throw new MemoryError("NOT_FOUND", `There is neither memory/ nor sessions/ in ${path}`);
  return found;
}

/** MEMORY.md becomes facts, every other Markdown file a note. */
async function readMemoryFolder(found: Found, root: string): Promise<void> {
  for (const name of await listNames(join(root, "memory"), ".md")) {
    const text = (await readIfThere(join(root, "memory", name))) ?? "";
    if (name === MEMORY_FILE) found.facts.push(...factsOf(text, `memory/${name}`, "Facts"));
    else if (text.trim() !== "") found.notes.push({ name, text });
    else if (name === HISTORY_FILE) found.skipped.push({ what: `memory/${name}`, why: "it is empty" });
  }
  for (const name of PROMPT_FILES) {
    if ((await readIfThere(join(root, name))) === undefined) continue;
    found.skipped.push({
      what: name,
      why: "it is an instruction, not a memory: copy it yourself if you want it in every prompt",
    });
  }
}

async function readSession(found: Found, path: string): Promise<void> {
  const skips = createSkips();
  const times = new Map<string, number>();
  const said: MessageInput[] = [];
  let key = basename(path, ".jsonl").replace("_", ":");
  let digested = 0;
  for await (const { value } of readJsonLines(path)) {
    if (isMetadata(value)) {
      const metadata = Metadata.parse(value);
      key = metadata.key ?? key;
      digested = metadata.last_consolidated;
      continue;
    }
    const message = toMessage(value);
    if (message) said.push(message);
    else skips.note("the line is no message");
  }
  for (const message of said) {
    const { role, content, timestamp, tool_calls, tool_call_id } = message;
    const print = idOf(key, role, content, timestamp, tool_calls, tool_call_id);
    const count = (times.get(print) ?? 0) + 1;
    times.set(print, count);
    found.messages.push({
      session: key,
      message: { ...message, id: message.id ?? (count === 1 ? print : `${print}-${count}`) },
    });
  }
  // What was digested there is in the memory files that came along.
  if (digested > 0 && digested <= said.length) found.digested.set(key, digested);
  found.skipped.push(...skips.list("line").map(({ what, why }) => ({ what: `${what} of ${basename(path)}`, why })));
}

function isMetadata(value: unknown): boolean {
  return Metadata.safeParse(value).success;
}

function toMessage(value: unknown): MessageInput | undefined {
  const parsed = Message.safeParse(value).data;
  const role = Role.safeParse(parsed?.role).data;
  if (parsed === undefined || role === undefined) return undefined;
  const { content, id, timestamp, ...rest } = parsed;
  return {
    ...rest,
    role,
    content: content ?? null,
    ...(id === undefined ? {} : { id }),
    ...(typeof timestamp === "string" || typeof timestamp === "number" ? { timestamp } : {}),
  };
}
