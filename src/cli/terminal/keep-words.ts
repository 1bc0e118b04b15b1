import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loadConfig } from "../../config.ts";
import { makePrivateFolder } from "../../store/files/disk.ts";
import { maskMessage } from "../../files/mask-message.ts";
import { createSession } from "../../session/session.ts";
import { createFileDocuments } from "../../store/files/file-documents.ts";
import { openSession } from "../../store/files/session-folder.ts";
import { formatTimestamp } from "../../time.ts";
import { countOf } from "../print.ts";
import { locksPath } from "../../layout.ts";

/** Stores what the user said where the memory cannot be opened: a session needs nothing but its file. */
export async function keepWords(
  request: { workspace: string; session: string; message?: string | undefined },
  tell: (text: string) => void,
): Promise<void> {
  const { agents, secrets } = loadConfig(request.workspace);
  const { timezone } = agents.defaults;
  const timestamp = () => formatTimestamp(new Date(), timezone);
  const folder = {
    path: join(request.workspace, "sessions"),
    lockFolder: locksPath(request.workspace),
  };
  for (const path of [folder.path, folder.lockFolder]) await makePrivateFolder(path);
  const setting = { timezone, timestamp, newId, onDamage: ({ reason }: { reason: string }) => tell(reason) };
  const log = await openSession({ ...folder, setting }, request.session);
  const session = createSession(log, {
    timestamp,
    newId,
    documents: createFileDocuments(request.workspace),
    defaultMaxMessages: 500,
    onAppend: () => undefined,
    heard: () => Promise.resolve(undefined),
    async keepBeside({ message }, keep) {
      await keep();
      return message;
    },
    clean: secrets.transcripts === "mask" ? maskMessage : undefined,
  });
  const lines = request.message === undefined ? await readLines() : [request.message];
  // Commands are for an agent, and none could be opened.
  const said = lines.filter((line) => line.trim() !== "" && !line.startsWith("/"));
  for (const content of said) {
    await session.append({ role: "user", content });
  }
  if (said.length > 0)
    tell(`The memory cannot be opened; ${countOf(said.length, "message")} stored in ${request.session}, not answered`);
}

function newId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 10);
}

async function readLines(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) lines.push(line);
  return lines;
}
