import { randomInt } from "node:crypto";
import type { Config } from "./config.ts";
import { finishTail } from "./change/carry-out.ts";
import { describeSave, settleOutsideEdits } from "./change/outside-edits.ts";
import { Change, NO_COUNTS, NO_USAGE } from "./history/change.ts";
import { openHistory } from "./history/open-history.ts";
import type { MemoryEvent } from "./outcome.ts";
import { stripInvisible } from "./visible-text.ts";
import type { Workspace } from "./workspace.ts";
import { readAsShown } from "./context/open-context.ts";
import { buildSystemPrompt } from "./context/system-prompt.ts";
import { describeError } from "./errors.ts";
import { settleForgotten } from "./files/forgotten.ts";
import { maskSecrets } from "./files/mask-secrets.ts";
import type { MemoryFiles } from "./files/memory-files.ts";
import { MEMORY_FILE } from "./layout.ts";
import { createLazyModel } from "./model/lazy-model.ts";
import type { Model } from "./model/model.ts";
import { createSdkModel, isSdkModel } from "./model/sdk-model.ts";
import { mostTokens, openTokenizer } from "./model/tokens.ts";
import { traceModel } from "./model/trace-model.ts";
import { encodeKey } from "./session/file-name.ts";
import { scopeOf } from "./session/scope-of.ts";
import { openFilesStore } from "./store/files/open-files-store.ts";
import { openReadOnlyStore } from "./store/files/open-read-only-store.ts";
import type { Store, StoreSource } from "./store/store.ts";
import { formatTimestamp } from "./time.ts";
import type { Clock } from "./time.ts";

/** What may come from outside when a workspace is opened. */
export interface WorkspaceOptions {
  model?: Model | { doGenerate: unknown; doStream: unknown } | undefined;
  now?: Clock | undefined;
  passive?: boolean | undefined;
  readOnly?: boolean | undefined;
  store?: StoreSource | undefined;
  emit: (event: MemoryEvent) => void;
}

/** Opens the store of a workspace, and finishes what a crash left half-done. */
export async function openWorkspace(path: string, config: Config, options: WorkspaceOptions) {
  const { timezone } = config.agents.defaults;
  const now = options.now ?? (() => new Date());
  const timestamp = () => formatTimestamp(now(), timezone);
  const notice = (text: string) => options.emit({ type: "notice", text });
  const { readOnly = false } = options;
  const setting = { timezone, timestamp, newId, notice, readOnly, cache: config.cache };
  const openFolder = readOnly ? openReadOnlyStore : openFilesStore;
  const store = await (options.store?.open(setting) ?? openFolder(path, setting));
  const history = openHistory({ logs: store.changes, path: store.cachePath("history"), isReadOnly: readOnly });
  const reported = new Map<string, number>();
  const workspace: Workspace = {
    path,
    config,
    now,
    timezone,
    newId,
    ...lieIn(store, config),
    history,
    atomically: (work) => store.atomically((inner) => work({ ...workspace, ...lieIn(inner, config) })),
    model: options.passive ? undefined : chooseModel(options.model, config, config.consolidation.model),
    fixedTokens: (session) => countPrompt(workspace.filesOf(session)),
    reportedTokens: (session) => reported.get(session) ?? 0,
    // What is not seen goes first: it could split a secret.
    clean: (text) => maskSecrets(stripInvisible(text)),
    runLock: (session) => `${encodeKey(session)}.run`,
    // A provider's error may repeat the key that it was sent.
    emit: (event) => options.emit(event.type === "notice" ? { ...event, text: maskSecrets(event.text) } : event),
  };
  const buildPrompt = async (files: MemoryFiles, memory: string, summary?: string): Promise<string> => {
    const { blocks } = await buildSystemPrompt(store.documents, {
      memory,
      memoryBudgetTokens: config.agents.defaults.memoryBudgetTokens,
      memoryPath: `${files.folder}/${MEMORY_FILE}`,
      summary,
    });
    return blocks.join("");
  };
  const countPrompt = createPromptCount(buildPrompt);
  const systemPrompt = async (session: string, summary?: string): Promise<string> => {
    const files = workspace.filesOf(session);
    return buildPrompt(files, await readAsShown(files), summary);
  };
  const stopTelling = store.locks.onWait((text) => workspace.emit({ type: "notice", text }));
  const { problem } = store.queue;
  if (problem !== undefined) notice(problem);
  await tellDamage(workspace, readOnly);
  if (readOnly && problem === undefined && options.store === undefined) await noteEdits(workspace);
  if (!options.passive && problem === undefined) {
    await recover(workspace);
    await store.tidyUp();
  }
  const chatModel = options.passive ? undefined : chooseModel(options.model, config);
  return { workspace, reported, systemPrompt, chatModel, stopTelling };
}

// A workspace seldom has more memories in use at once.
const KEPT_COUNTS = 32;

/** Counts the tokens of prompts, each text once: the sessions of one memory share theirs, and it may be long. */
function createPromptCount(
  build: (files: MemoryFiles, memory: string) => Promise<string>,
): (files: MemoryFiles) => Promise<number> {
  const counts = new Map<string, { memory: string; rest: string; tokens: number }>();
  return async (files) => {
    const memory = await readAsShown(files);
    const rest = await build(files, "");
    const known = counts.get(files.scope);
    if (known?.memory === memory && known.rest === rest) return known.tokens;
    const prompt = await build(files, memory);
    // Below this the exact number changes nothing, and the tokenizer need not be loaded.
    const tokens = prompt.length < 8000 ? Math.ceil(mostTokens(prompt) / 2) : (await openTokenizer())(prompt);
    counts.delete(files.scope);
    counts.set(files.scope, { memory, rest, tokens });
    const [oldest] = counts.keys();
    if (counts.size > KEPT_COUNTS && oldest !== undefined) counts.delete(oldest);
    return tokens;
  };
}

/** What of a workspace lies in its store. */
function lieIn(
  store: Store,
  config: Config,
): Pick<Workspace, "store" | "logs" | "changes" | "queue" | "documents" | "locks" | "filesOf" | "filesOfScope"> {
  const { logs, changes, queue, documents, locks } = store;
  const filesOfScope = (scope: string) => store.memoryFiles(scope);
  const filesOf = (session: string) => filesOfScope(scopeOf(session, config.memory.scope));
  return { store, logs, changes, queue, documents, locks, filesOf, filesOfScope };
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
  if (isSdkModel(given)) return traceModel(createSdkModel(given, `${given.provider}/${given.modelId}`, timeoutMs));
  if (given && "ask" in given) return traceModel(given);
  return name === undefined ? undefined : traceModel(createLazyModel(name, config));
}

// Whoever holds it for longer is at work on it, or stands still; opening waits for neither.
const RECOVER_WAIT_MS = 1000;

/** Changes that were under way when a process died are carried out; a person's edits since then become a change. */
async function recover(workspace: Workspace): Promise<void> {
  const scopes = new Set(["", ...(await workspace.history.scopesWithTail())]);
  for (const scope of scopes) {
    const files = workspace.filesOfScope(scope);
    try {
      await files.exclusively(async () => {
        await finishTail(workspace, files);
        await settleOutsideEdits(workspace, files);
        await files.clearDrafts();
      }, RECOVER_WAIT_MS);
    } catch (error) {
      // Reading must still work, on a full disk too: what could not be carried out waits in its log.
      workspace.emit({ type: "notice", text: `Unfinished work is left for later: ${describeError(error)}` });
    }
  }
}

/** Says that it is not known what was forgotten. */
async function tellDamage(workspace: Workspace, isReadOnly: boolean): Promise<void> {
  // What is said must be stored all the same.
  const text = await settleForgotten(workspace, isReadOnly).catch(describeError);
  if (text !== undefined) workspace.emit({ type: "notice", text });
}

const UNRECORDED = {
  trigger: null,
  of: null,
  outcome: "consolidated",
  reason: null,
  stretch: null,
  usage: NO_USAGE,
  counts: NO_COUNTS,
  entries: [],
  decision: null,
} as const;

/** What a person wrote since the last record belongs to the story, also for those who only look: in their own copy. */
async function noteEdits(workspace: Workspace): Promise<void> {
  for (const scope of new Set(["", ...(await workspace.history.scopes())])) {
    const save = await describeSave(workspace, scope, await readAsShown(workspace.filesOfScope(scope)));
    if (save === undefined) continue;
    const at = formatTimestamp(workspace.now(), workspace.timezone);
    await workspace.history.pretend(Change.parse({ ...UNRECORDED, at, startedAt: at, ...save }));
  }
}
