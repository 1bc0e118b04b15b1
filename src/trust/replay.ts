import { mkdir, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outcome } from "../outcome.ts";
import { editsBetween } from "../change/edits-between.ts";
import { parseFacts } from "../change/read-outline.ts";
import type { Workspace } from "../workspace.ts";
import { MemoryError } from "../errors.ts";
import type { MessageInput } from "../session/message.ts";
import { formatTimestamp, parseTimestamp } from "../time.ts";
import { ownPath } from "../layout.ts";

/** What a replay needs of a memory in another folder. */
export interface SideMemory {
  session(key: string): Promise<{
    appendAll(messages: readonly MessageInput[]): Promise<unknown>;
    /** How far it is digested. */
    readonly cursor: number;
  }>;
  consolidate(key: string, request: { all: boolean }): Promise<Outcome>;
  settle(): Promise<void>;
  readMemory(key?: string): Promise<string>;
  close(): Promise<void>;
}

/** What is replayed, and where to. */
export interface ReplayRequest {
  /** Opens a memory in an empty folder, with the model to try. */
  openSide(folder: string): Promise<SideMemory>;
  /** The folder; one of its own under .tidemark when not given. */
  into?: string | undefined;
  /** Only what was said from this day or time on. */
  from?: string | undefined;
  /** Told from time to time how many messages are digested. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** How the rebuilt memory differs from the present one. */
export interface Replayed {
  folder: string;
  sessions: number;
  messages: number;
  outcomes: Outcome[];
  memories: {
    scope: string;
    same: number;
    added: string[];
    removed: string[];
    reworded: { before: string; after: string }[];
  }[];
}

const TELL_MS = 150;

/** Rebuilds memory from the transcripts into a side folder and compares; the present memory is not touched. */
export async function replay(workspace: Workspace, request: ReplayRequest): Promise<Replayed> {
  const stamp = formatTimestamp(workspace.now(), "UTC").slice(0, 19).replaceAll(/[-:T]/g, "");
  const beside = workspace.store.folder;
  const usual = beside === undefined ? join(tmpdir(), `tidemark-replay-${stamp}`) : ownPath(beside, "replay", stamp);
  const folder = request.into ?? usual;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Replayed beside what is there, every message would be said twice.
  if ((await readdir(folder)).length > 0) {
    throw new MemoryError("PATH_REFUSED", `${folder} is not empty; a replay needs an empty folder`);
  }
  const logs = await readLogs(workspace, request.from);
  const side = await request.openSide(folder);
  try {
    const outcomes: Outcome[] = [];
    const total = logs.reduce((sum, log) => sum + log.messages.length, 0);
    let done = 0;
    // In the order in which the talks began, as they happened: a later one may correct an earlier one.
    for (const { key, messages } of logs) {
      const session = await side.session(key);
      await session.appendAll(messages);
      const base = done - session.cursor;
      // A single talk may be most of it.
      const timer = setInterval(() => request.onProgress?.(base + session.cursor, total), TELL_MS);
      try {
        outcomes.push(await side.consolidate(key, { all: true }));
      } finally {
        clearInterval(timer);
      }
      done += messages.length;
      request.onProgress?.(done, total);
    }
    await side.settle();
    const keys = new Map(logs.map(({ key }) => [workspace.filesOf(key).scope, key]));
    const memories = await Promise.all(
      [...keys].map(async ([scope, key]) => ({
        scope,
        ...compare(await workspace.filesOf(key).read("MEMORY.md"), await side.readMemory(key)),
      })),
    );
    return { folder, sessions: new Set(logs.map(({ key }) => key)).size, messages: total, outcomes, memories };
  } finally {
    await side.close();
  }
}

async function readLogs(
  workspace: Workspace,
  from: string | undefined,
): Promise<{ key: string; messages: MessageInput[] }[]> {
  const { logs: stored, timezone } = workspace;
  const start = from === undefined ? undefined : parseTimestamp(from, timezone);
  if (from !== undefined && start === undefined) {
    throw new MemoryError("QUERY_INVALID", `"${from}" is not a date: write 2026-03-01`);
  }
  const heads = [...(await stored.heads("archived")), ...(await stored.heads("present"))];
  const logs = await Promise.all(
    heads.map(async (head) => {
      const { key } = head;
      const log = await stored.openHead(head);
      await log.load(0);
      const said = log.messages().filter(({ timestamp }) => {
        const at = parseTimestamp(timestamp, timezone);
        return start === undefined || (at !== undefined && at >= start);
      });
      return { key, begun: Date.parse(log.createdAt) || 0, messages: said.flatMap(toInput) };
    }),
  );
  return logs.filter(({ messages }) => messages.length > 0).toSorted((one, other) => one.begun - other.begun);
}

const ROLES = ["user", "assistant", "tool", "system"] as const;

function toInput({
  role,
  content,
  timestamp,
  tool_calls,
  tool_call_id,
  ...rest
}: {
  role: string;
  content?: string | unknown[] | null | undefined;
  timestamp?: unknown;
  tool_calls?: unknown[] | null | undefined;
  tool_call_id?: string | null | undefined;
  name?: string | undefined;
  context?: string | undefined;
  id: string;
}): MessageInput[] {
  const known = ROLES.find((each) => each === role);
  if (known === undefined) return [];
  const { name, id, context: _, ...more } = rest;
  return [
    {
      ...more,
      role: known,
      id,
      ...(content === undefined ? {} : { content }),
      ...(typeof timestamp === "string" || typeof timestamp === "number" ? { timestamp } : {}),
      ...(name === undefined ? {} : { name }),
      ...(tool_calls ? { tool_calls } : {}),
      ...(tool_call_id ? { tool_call_id } : {}),
    },
  ];
}

function compare(present: string, rebuilt: string): Omit<Replayed["memories"][number], "scope"> {
  const edits = editsBetween(present, rebuilt, "not in the replay", () => null);
  const gone = edits.filter(({ kind }) => kind === "replace" || kind === "remove");
  return {
    same: parseFacts(present).length - gone.length,
    added: edits.flatMap((edit) => (edit.kind === "add" ? [edit.text] : [])),
    removed: edits.flatMap((edit) => (edit.kind === "remove" ? [edit.text] : [])),
    reworded: edits.flatMap((edit) => (edit.kind === "replace" ? [{ before: edit.text, after: edit.words }] : [])),
  };
}
