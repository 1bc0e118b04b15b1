import { MemoryError } from "../errors.ts";
import { readForgettingMark } from "../files/forgotten.ts";
import { MEMORY_FILE, memoryFolderOf } from "../layout.ts";
import type { SessionLog } from "../session/log.ts";
import type { Change } from "../history/change.ts";
import type { Edit } from "../history/edit.ts";
import type { Workspace } from "../workspace.ts";
import { appendRecord } from "./carry-out.ts";
import { commit } from "./commit.ts";
import type { Planned } from "./commit.ts";
import { applySettings, isConfiguration, planSettings } from "./settings-change.ts";

const PROMPT_FILE = /^(?:agents|soul|user|tools)\.md$|^skills(?:\/|$)/i;
const SCOPE_FOLDER = /^memory\/scopes\/[^/]+\//i;
const EXPECTATIONS = /^memory\/(?:scopes\/[^/]+\/)?expect\.ya?ml$/i;

/** Whether a file of the workspace steers the agent: then it is the person's, and the agent may only propose. */
export function isSteering(path: string): boolean {
  const own = path.replace(SCOPE_FOLDER, "");
  const isPrompt = PROMPT_FILE.test(own);
  return isPrompt || EXPECTATIONS.test(path) || isConfiguration(path);
}

/** An edit of a whole file that steers the agent; `file` is its path from the workspace. */
type FileEdit = Extract<Edit, { kind: "replace" }>;

/** The edit, where it is of a whole file rather than of a fact. */
export function asFileEdit(edit: Edit): FileEdit | undefined {
  return edit.kind === "replace" && edit.file !== MEMORY_FILE && isSteering(edit.file) ? edit : undefined;
}

/** An agent's text for a file that steers it; `heard` is the last forgetting when it came in, where that was before. */
export interface ProposedFile {
  path: string;
  text: string;
  by: string;
  heard?: string | undefined;
}

/** Puts an agent's text for a file that steers it before a person. A scoped user's goes to a place of their own. */
export async function proposeFile(
  workspace: Workspace,
  log: SessionLog,
  { path, text, by, heard }: ProposedFile,
): Promise<string> {
  const since = heard ?? (await readForgettingMark(workspace.documents));
  const { scope } = workspace.filesOf(log.key);
  const isShared = scope === "" || SCOPE_FOLDER.test(path) || !PROMPT_FILE.test(path);
  const settings = isConfiguration(path) ? await planSettings(workspace.documents, path, text) : undefined;
  const file = settings?.file ?? (isShared ? path : `${memoryFolderOf(scope)}/${path}`);
  const before = settings?.before ?? (await workspace.documents.read(file)) ?? "";
  const words = settings?.after ?? text;
  const edit: FileEdit = {
    kind: "replace",
    file,
    path: [],
    text: before,
    place: 0,
    was: before === "" ? [] : before.split("\n"),
    lines: words.split("\n"),
    words,
    reason: "proposed by the agent",
    source: {
      session: log.key,
      message: log.messages(Math.max(0, log.length - 1)).at(-1)?.id ?? null,
      quote: null,
      proof: "none",
    },
  };
  const reason = `${file} steers the agent; only the user may change it`;
  const { key: session, identity, cursor } = log;
  const plan = (): Planned<undefined> => ({
    change: {
      cause: "edit",
      trigger: `proposal for ${file}`,
      author: "agent",
      by,
      edits: [],
      entries: [],
      stretch: { session, identity, from: cursor, to: cursor },
      held: before === words ? [] : [{ edit, reason }],
      heldReason: reason,
    },
    result: undefined,
  });
  await commit(workspace, scope, plan, { heard: since });
  return file;
}

/** A file that steers the agent, as a person wants it, and why. */
interface SteeringWrite extends Pick<Change, "cause" | "of" | "decision"> {
  file: string;
  read: () => Promise<string>;
  /** What it must still say. */
  expected?: string;
}

/**
 * Writes such a file for a person, with what was there and what is there now on record; of the configuration, the
 * settings that change alone. The words are read when nobody can be forgetting them.
 */
export async function writeSteeringFile(
  workspace: Workspace,
  scope: string,
  { file, read, expected, ...why }: SteeringWrite,
): Promise<void> {
  await workspace.filesOfScope(scope).exclusively(async () => {
    const words = await read();
    const settings = isConfiguration(file) ? await applySettings(workspace.documents, words) : undefined;
    const before = settings?.before ?? (await workspace.documents.read(file)) ?? "";
    if (before === words) return;
    if (expected !== undefined && before !== expected) {
      throw new MemoryError(
        "FILE_UNWRITABLE",
        `${file} has changed since this was proposed; reject it, or edit the file`,
      );
    }
    await recordText(workspace, scope, { file, text: before, author: "person", by: "user", cause: "edit" });
    await workspace.documents.write(settings?.file ?? file, settings?.whole ?? words);
    await recordText(workspace, scope, { file, text: words, author: "person", by: "user", ...why });
  });
}

/** Puts on record what a file that is written as a whole says, unless the log says so already. The caller holds the lock. */
export async function recordText(
  workspace: Workspace,
  scope: string,
  {
    file,
    text,
    ...change
  }: Pick<Change, "author" | "by" | "cause"> & Partial<Omit<Change, "text">> & { file: string; text: string },
): Promise<void> {
  if (((await workspace.history.latest(scope, file))?.text ?? "") === text) return;
  await appendRecord(workspace, { ...change, scope, text: await workspace.history.describeText(scope, file, text) });
}
