import { settleOutsideEdits } from "../change/outside-edits.ts";
import type { Workspace } from "../workspace.ts";
import { describeError } from "../errors.ts";
import { testExpectations, parseExpectations } from "../change/expectations.ts";
import { EXPECTATIONS_FILE, MEMORY_FILE, MEMORY_FOLDER } from "../layout.ts";
import type { TestedExpectation } from "../change/expectations.ts";
import { listMasked } from "../files/mask-secrets.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { findChange } from "./find-target.ts";
import type { ChangeHead } from "../history/change.ts";
import type { ForgetOptions, Forgotten } from "./forget.ts";
import type { ForgetRequest } from "./forget-match.ts";
import { readLedger } from "./ledger.ts";
import type { Ledger } from "./ledger.ts";
import { readLog } from "./read-log.ts";
import type { LogEntry } from "./read-log.ts";
import type { Replayed, ReplayRequest } from "./replay.ts";
import { blame, why } from "./trace.ts";
import type { FactStory, WhyStory } from "./trace.ts";
import type { Restored } from "./undo.ts";

/** A secret that was masked: what kind, and where; never its value. */
export interface MaskedSecret {
  path: string;
  line: number;
  kind: string;
}

/** What can be traced, undone, decided and forgotten. A key chooses whose memory; everyone's without one. */
export interface Trust {
  /** What happened to memory, newest first. */
  log(options?: { limit?: number | undefined; session?: string | undefined }): Promise<LogEntry[]>;
  /** A change, by its id or the beginning of it. */
  find(id: string): Promise<ChangeHead>;
  /** Puts on record what a person's editor did since the last look. */
  look(key?: string): Promise<void>;
  blame(key?: string): Promise<FactStory[]>;
  why(words: string, key?: string): Promise<WhyStory[]>;
  restore(id: string, by: string): Promise<Restored>;
  ledger(): Promise<Ledger>;
  forget(request: ForgetRequest, options?: ForgetOptions): Promise<Forgotten>;
  replay(request: ReplayRequest): Promise<Replayed>;
  /** Checks MEMORY.md against memory/expect.yaml. */
  test(key?: string): Promise<TestedExpectation[]>;
  masked(): Promise<MaskedSecret[]>;
}

// Looking waits for nobody: what is being written at this moment is on record the next time.
const LOOK_WAIT_MS = 500;

/** Gives a workspace its trust: everything here works from the records, never from a model's account of itself. */
export function createTrust(workspace: Workspace, isReadOnly = false): Trust {
  const filesOf = (key = ""): MemoryFiles => workspace.filesOf(key);
  /** What a person's editor did since the last look belongs to the story. */
  const look = async (files: MemoryFiles): Promise<MemoryFiles> => {
    // Then it was done at the start, in a copy of the records.
    if (isReadOnly) return files;
    try {
      await files.exclusively(() => settleOutsideEdits(workspace, files), LOOK_WAIT_MS);
    } catch (error) {
      // A folder that cannot be written can still be looked at.
      workspace.emit({ type: "notice", text: `The newest edit is not on record yet: ${describeError(error)}` });
    }
    return files;
  };
  const lookAtAll = async (): Promise<void> => {
    for (const scope of new Set(["", ...(await workspace.history.scopes())])) await look(workspace.filesOfScope(scope));
  };
  return {
    async log(options) {
      await lookAtAll();
      return readLog(workspace.history, options);
    },
    find: (id) => findChange(workspace.history, id),
    look: async (key) => void (await look(filesOf(key))),
    blame: async (key) => blame(workspace, await look(filesOf(key))),
    why: async (words, key) => why(workspace, await look(filesOf(key)), words),
    async restore(id, by) {
      const { restore } = await import("./undo.ts");
      return restore(workspace, id, by);
    },
    async ledger() {
      await lookAtAll();
      return readLedger(workspace.history);
    },
    async forget(request, options) {
      const { forget } = await import("./forget.ts");
      return forget(workspace, request, options);
    },
    async replay(request) {
      const { replay } = await import("./replay.ts");
      return replay(workspace, request);
    },
    async test(key) {
      const files = filesOf(key);
      return testExpectations(parseExpectations(await files.read(EXPECTATIONS_FILE)), await files.read(MEMORY_FILE));
    },
    async masked() {
      const { logs, documents } = workspace;
      const heads = [...(await logs.heads("present")), ...(await logs.heads("archived"))];
      const notes = (await documents.list(MEMORY_FOLDER, { isDeep: true })).filter(({ path }) => isShown(path));
      const found = await Promise.all([
        ...notes.map(async ({ path }) => maskedIn(path, await documents.read(path))),
        ...heads.map(async ({ path }) => maskedIn(path, await logs.readLines(path))),
      ]);
      return found.flat();
    },
  };
}

/** What is searched: Markdown, and nothing hidden. */
function isShown(path: string): boolean {
  return path.endsWith(".md") && !path.split("/").some((name) => name.startsWith("."));
}

function maskedIn(path: string, text = ""): MaskedSecret[] {
  return listMasked(text).map((secret) => ({ ...secret, path }));
}
