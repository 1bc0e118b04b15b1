import { randomInt } from "node:crypto";
import { join, relative } from "node:path";
import type { Config } from "./config.ts";
import { finishPending } from "./change/apply.ts";
import { settleOutsideEdits } from "./change/outside-edits.ts";
import type { MemoryEvent } from "./outcome.ts";
import { stripInvisible } from "./visible-text.ts";
import type { Workspace } from "./workspace.ts";
import { readAsShown } from "./context/open-context.ts";
import { buildSystemPrompt } from "./context/system-prompt.ts";
import { describeError, MemoryError } from "./errors.ts";
import { clearDrafts } from "./files/clear-drafts.ts";
import { maskSecrets } from "./files/mask-secrets.ts";
import { createMemoryFiles } from "./files/memory-files.ts";
import { ARCHIVE_FOLDER, MEMORY_FILE, locksPath, memoryLockName, memoryPath } from "./layout.ts";
import { onLockWait } from "./lock.ts";
import { openRecords } from "./open-records.ts";
import { scopeOf } from "./session/scope-of.ts";
import { createLazyModel } from "./model/lazy-model.ts";
import type { Model } from "./model/model.ts";
import { createSdkModel, isSdkModel } from "./model/sdk-model.ts";
import { mostTokens, openTokenizer } from "./model/tokens.ts";
import { encodeKey } from "./session/file-name.ts";
import { readLogIdentity } from "./session/log-view.ts";
import { keyOf, listLogFiles, openLogAt, openSession } from "./session/sessions.ts";
import type { SessionFolder } from "./session/sessions.ts";
import { formatTimestamp } from "./time.ts";
import type { Clock } from "./time.ts";

/** What may come from outside when a workspace is opened. */
export interface WorkspaceOptions {
  model?: Model | { doGenerate: unknown; doStream: unknown } | undefined;
  now?: Clock | undefined;
  passive?: boolean | undefined;
  emit: (event: MemoryEvent) => void;
}

/** Makes the folders of a workspace, opens its state, and finishes what a crash left half-done. */
export async function openWorkspace(path: string, config: Config, options: WorkspaceOptions) {
  const { timezone } = config.agents.defaults;
  const now = options.now ?? (() => new Date());
  const folder = (name: string) => join(path, name);
  const locks = locksPath(path);
  const state = await openRecords(path, (text) => options.emit({ type: "notice", text }));
  const timestamp = () => formatTimestamp(now(), timezone);
  const onDamage = ({ reason }: { reason: string }) => options.emit({ type: "notice", text: reason });
  const sessions: SessionFolder = {
    path: folder("sessions"),
    lockFolder: locks,
    setting: { timezone, timestamp, newId, onDamage },
  };
  const reported = new Map<string, number>();
  const filesOfScope = (scope: string) =>
    createMemoryFiles(memoryPath(path, scope), scope, join(locks, memoryLockName(scope)));
  const filesOf = (session: string) => filesOfScope(scopeOf(session, config.memory.scope));
  const systemPrompt = async (session: string, summary?: string): Promise<string> => {
    const files = filesOf(session);
    const { blocks } = await buildSystemPrompt(path, {
      memory: await readAsShown(files),
      memoryBudgetTokens: config.agents.defaults.memoryBudgetTokens,
      memoryPath: join(relative(path, files.folder), MEMORY_FILE),
      summary,
    });
    return blocks.join("");
  };
  const workspace: Workspace = {
    path,
    config,
    now,
    timezone,
    newId,
    state,
    sessions,
    filesOf,
    filesOfScope,
    model: options.passive ? undefined : chooseModel(options.model, config, config.consolidation.model),
    async fixedTokens(session) {
      const prompt = await systemPrompt(session);
      // Below this the exact number changes nothing, and the tokenizer need not be loaded.
      return prompt.length < 8000 ? Math.ceil(mostTokens(prompt) / 2) : (await openTokenizer())(prompt);
    },
    reportedTokens: (session) => reported.get(session) ?? 0,
    // What is not seen goes first: it could split a secret.
    clean: (text) => maskSecrets(stripInvisible(text)),
    runLockPath: (session) => join(locks, `${encodeKey(session)}.run`),
    findLog: (session, identity) => findLog(sessions, session, identity),
    // A provider's error may repeat the key that it was sent.
    emit: (event) => options.emit(event.type === "notice" ? { ...event, text: maskSecrets(event.text) } : event),
  };
  const stopTelling = onLockWait(locks, (text) => workspace.emit({ type: "notice", text }));
  if (!options.passive) {
    await recover(workspace);
    await clearDrafts([sessions.path, folder(".tidemark")]);
  }
  const chatModel = options.passive ? undefined : chooseModel(options.model, config);
  return { workspace, reported, locks, systemPrompt, chatModel, stopTelling };
}

const ID_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Short, because ids are shown to models; 36¹⁰ leaves no room for an accident within one workspace. */
function newId(): string {
  return Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join("");
}

function chooseModel(
  given: WorkspaceOptions["model"],
  config: Config,
  name = config.agents.defaults.model,
): Model | undefined {
  const timeoutMs = config.consolidation.timeoutSeconds * 1000;
  if (isSdkModel(given)) return createSdkModel(given, `${given.provider}/${given.modelId}`, timeoutMs);
  if (given && "ask" in given) return given;
  return name === undefined ? undefined : createLazyModel(name, config);
}

async function findLog(sessions: SessionFolder, session: string, identity: string) {
  const present = await openSession(sessions, session);
  if (present.identity === identity) return present;
  for (const path of await listLogFiles(join(sessions.path, ARCHIVE_FOLDER))) {
    try {
      if (keyOf(path) === session && readLogIdentity(path) === identity) return openLogAt(sessions, path, session);
    } catch (error) {
      // Something unreadable in the archive is no reason to stop the digest of everyone else.
      if (!(error instanceof MemoryError)) throw error;
    }
  }
  return undefined;
}

// Whoever holds it for longer is at work on it, or stands still; opening waits for neither.
const RECOVER_WAIT_MS = 1000;

/** Applies that were under way when a process died are finished; a person's edits since then become a revision. */
async function recover(workspace: Workspace): Promise<void> {
  const scopes = new Set(["", ...(await workspace.state.pendingScopes())]);
  for (const scope of scopes) {
    const files = workspace.filesOfScope(scope);
    try {
      await files.exclusively(async () => {
        await finishPending(workspace, files);
        await settleOutsideEdits(workspace, files);
        await clearDrafts([files.folder]);
      }, RECOVER_WAIT_MS);
    } catch (error) {
      // Reading must still work, on a full disk too: what could not be finished waits in the journal.
      workspace.emit({ type: "notice", text: `Unfinished work is left for later: ${describeError(error)}` });
    }
  }
}
