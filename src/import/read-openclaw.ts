import { basename, join } from "node:path";
import { z } from "zod";
import { MemoryError } from "../errors.ts";
import { readBlocks, userContent } from "./blocks.ts";
import { createFound, createSkips, factsOf } from "./found.ts";
import type { Found } from "./found.ts";
import { isFolder, listNames, parseJson, readIfThere, readJsonLines } from "./read-source.ts";

const Line = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  timestamp: z.union([z.string(), z.number()]).optional(),
  message: z
    .looseObject({
      role: z.string(),
      content: z.unknown(),
      toolCallId: z.string().optional(),
      toolName: z.string().optional(),
    })
    .optional(),
});
const SessionMap = z.record(z.string(), z.looseObject({ sessionId: z.string() }));

/** Reads a folder of OpenClaw's: ~/.openclaw with agents/ and workspace/, or a workspace alone. */
export async function readOpenclaw(path: string): Promise<Found> {
  const found = createFound();
  const workspace = (await isFolder(join(path, "workspace"))) ? join(path, "workspace") : path;
  const hasMemory = await readWorkspace(found, workspace);
  const agents = await listNames(join(path, "agents"));
  for (const agent of agents) await readAgent(found, join(path, "agents", agent), agent);
  if (!hasMemory && found.messages.length === 0) {
    throw new MemoryError("NOT_FOUND", `There is neither MEMORY.md, nor memory/, nor agents/ in ${path}`);
  }
  return found;
}

async function readWorkspace(found: Found, root: string): Promise<boolean> {
  let hasMemory = false;
  for (const name of ["MEMORY.md", "memory.md"]) {
    const text = await readIfThere(join(root, name));
    if (text === undefined || hasMemory) continue;
    hasMemory = true;
    found.facts.push(...factsOf(text, name, "Facts"));
  }
  for (const name of await listNames(join(root, "memory"), ".md")) {
    const text = (await readIfThere(join(root, "memory", name))) ?? "";
    hasMemory = true;
    if (text.trim() !== "") found.notes.push({ name, text });
  }
  for (const name of ["USER.md", "SOUL.md", "AGENTS.md", "TOOLS.md", "IDENTITY.md"]) {
    if ((await readIfThere(join(root, name))) === undefined) continue;
    found.skipped.push({
      what: name,
      why: "it is an instruction, not a memory: copy it yourself if you want it in every prompt",
    });
  }
  return hasMemory;
}

async function readAgent(found: Found, folder: string, agent: string): Promise<void> {
  const sessions = join(folder, "sessions");
  const map = SessionMap.safeParse(parseJson((await readIfThere(join(sessions, "sessions.json"))) ?? "{}")).data ?? {};
  const keys = new Map(Object.entries(map).map(([key, { sessionId }]) => [sessionId, key]));
  for (const name of await listNames(sessions)) {
    if (name === "sessions.json") continue;
    if (!name.endsWith(".jsonl")) {
      found.skipped.push({ what: `sessions/${name}`, why: "it is a session that OpenClaw has put aside" });
      continue;
    }
    const id = basename(name, ".jsonl");
    // The map names only the newest transcript of each key; older ones keep their own.
    const key = keys.get(id)?.replace(/^agent:/, "openclaw:") ?? `openclaw:${agent}:${id}`;
    await readTranscript(found, join(sessions, name), key);
  }
}

async function readTranscript(found: Found, path: string, session: string): Promise<void> {
  const skips = createSkips();
  for await (const { number, value } of readJsonLines(path)) {
    const line = Line.safeParse(value).data;
    if (line?.type === "session") continue;
    if (line?.type !== "message" || !line.message) {
      skips.note(line ? `${line.type} is not part of what was said` : "the line is damaged");
      continue;
    }
    const { role, content, toolCallId, toolName } = line.message;
    const blocks = readBlocks(content);
    const stamp = {
      id: line.id ?? `${basename(path, ".jsonl")}-${number}`,
      ...(line.timestamp === undefined ? {} : { timestamp: line.timestamp }),
    };
    if (role === "user") found.messages.push({ session, message: { role, content: userContent(blocks), ...stamp } });
    else if (role === "assistant") {
      const calls = blocks.calls.length > 0 ? { tool_calls: blocks.calls } : {};
      found.messages.push({ session, message: { role, content: blocks.text || null, ...calls, ...stamp } });
    } else if (role === "toolResult" && toolCallId !== undefined) {
      const name = toolName === undefined ? {} : { name: toolName };
      found.messages.push({
        session,
        message: { role: "tool", content: blocks.text, tool_call_id: toolCallId, ...name, ...stamp },
      });
    } else skips.note(`the role ${role} is not known`);
  }
  found.skipped.push(...skips.list("line").map(({ what, why }) => ({ what: `${what} of ${basename(path)}`, why })));
}
