import { open } from "node:fs/promises";
import { join } from "node:path";
import type { ToolRules } from "../change/origin.ts";
import { sortByOrigin } from "../change/origin.ts";
import { systemCode } from "../errors.ts";
import { Message } from "../session/message.ts";
import type { StoredMessage } from "../session/message.ts";

// More than lies between two digests.
const TAIL_BYTES = 400_000;
const MOST_FILES = 500;

/** Tells of messages in a session's file, whether they came from outside. */
export type FreshOutside = (path: string, messages: readonly string[]) => Promise<boolean>;

/**
 * Knows what came from outside in the newest part of each session: digests note it, and no digest may have been there yet.
 * What was found of a file is kept for as long as the file has the same size.
 */
export function createFreshOutside(workspace: string, rules: ToolRules): FreshOutside {
  const known = new Map<string, { size: number; ids: ReadonlySet<string> }>();
  return async (path, messages) => {
    if (messages.length === 0) return false;
    const { size, read } = await openTail(join(workspace, path));
    const before = known.get(path);
    const found = before?.size === size ? before : { size, ids: outsideIn(await read(), rules) };
    if (known.size >= MOST_FILES) known.clear();
    known.set(path, found);
    return messages.some((message) => found.ids.has(message));
  };
}

function outsideIn(tail: string, rules: ToolRules): ReadonlySet<string> {
  if (!/"role":"(?:tool|function|system)"|"origin":|"context":/.test(tail)) return new Set();
  const messages = tail.split("\n").flatMap((line): StoredMessage[] => {
    const read = Message.safeParse(parse(line)).data;
    return read?.id === undefined ? [] : [{ ...read, id: read.id }];
  });
  return new Set(sortByOrigin(messages, rules).ids);
}

/** The first line of the tail may be the end of another one, and the last may be under way. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function openTail(path: string): Promise<{ size: number; read: () => Promise<string> }> {
  const look = async <T>(work: (file: Awaited<ReturnType<typeof open>>) => Promise<T>, none: T): Promise<T> => {
    try {
      const file = await open(path, "r");
      try {
        return await work(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (systemCode(error) === "ENOENT") return none;
      throw error;
    }
  };
  const size = await look(async (file) => (await file.stat()).size, 0);
  const read = () =>
    look(async (file) => {
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8");
    }, "");
  return { size, read };
}
