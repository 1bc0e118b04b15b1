import { join, relative } from "node:path";
import { noteOutsideEdit } from "../consolidation/apply.ts";
import { undoRevision } from "../consolidation/undo.ts";
import type { UndoOutcome } from "../consolidation/undo.ts";
import type { World } from "../consolidation/world.ts";
import { describeError, MemoryError } from "../errors.ts";
import { checkExpectations, EXPECTATIONS_FILE, parseExpectations } from "../files/expectations.ts";
import type { CheckedExpectation } from "../files/expectations.ts";
import { listMasked } from "../files/mask-secrets.ts";
import { MEMORY_FILE } from "../files/memory-files.ts";
import type { MemoryFiles } from "../files/memory-files.ts";
import { findTarget } from "./change.ts";
import type { Target } from "./change.ts";
import type { Forgotten } from "./forget.ts";
import type { ForgetRequest } from "./forget-match.ts";
import { readLedger } from "./ledger.ts";
import type { Ledger } from "./ledger.ts";
import { readLog } from "./log.ts";
import type { LogEntry } from "./log.ts";
import type { Replayed, ReplayRequest } from "./replay.ts";
import { restore } from "./restore.ts";
import type { Restored } from "./restore.ts";
import { decideHeld, listWaiting } from "./review.ts";
import type { Verdict, Verdicts, WaitingProposal } from "./review.ts";
import { bisect, blame, why } from "./trace.ts";
import type { BeliefEvent, FactStory, WhyStory } from "./trace.ts";

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
  /** A run or a revision, by its id. */
  find(id: string): Promise<Target>;
  blame(key?: string): Promise<FactStory[]>;
  why(words: string, key?: string): Promise<WhyStory[]>;
  bisect(words: string, key?: string): Promise<BeliefEvent[]>;
  /** Takes back a run's or revision's change of MEMORY.md, or the newest one. */
  undo(request: {
    id?: string | undefined;
    key?: string | undefined;
    by: string;
    partial?: boolean | undefined;
  }): Promise<UndoOutcome>;
  restore(id: string, by: string): Promise<Restored>;
  waiting(): Promise<WaitingProposal[]>;
  decide(verdict: Verdict): Promise<Verdicts>;
  ledger(): Promise<Ledger>;
  forget(request: ForgetRequest, options?: { isTrial?: boolean }): Promise<Forgotten>;
  replay(request: ReplayRequest): Promise<Replayed>;
  /** Checks MEMORY.md against memory/expect.yaml. */
  test(key?: string): Promise<CheckedExpectation[]>;
  masked(): Promise<MaskedSecret[]>;
}

// Looking waits for nobody: what is being written at this moment is on record the next time.
const LOOK_WAIT_MS = 500;

/** Gives a world its trust: everything here works from the records, never from a model's account of itself. */
export function createTrust(world: World, workspace: string): Trust {
  const filesOf = (key = ""): MemoryFiles => world.filesOf(key);
  /** What a person's editor did since the last look belongs to the story. */
  const look = async (files: MemoryFiles): Promise<MemoryFiles> => {
    try {
      const note = async () => noteOutsideEdit(world, files, await files.read(MEMORY_FILE));
      await files.exclusively(note, LOOK_WAIT_MS);
    } catch (error) {
      // A folder that cannot be written can still be looked at.
      world.emit({ type: "notice", text: `The newest edit is not on record yet: ${describeError(error)}` });
    }
    return files;
  };
  const lookAtAll = async (): Promise<void> => {
    for (const scope of new Set(["", ...(await world.state.listScopes())])) await look(world.filesOfScope(scope));
  };
  return {
    async log(options) {
      await lookAtAll();
      return readLog(world.state, options);
    },
    find: (id) => findTarget(world.state, id),
    blame: async (key) => blame(world, await look(filesOf(key))),
    why: async (words, key) => why(world, await look(filesOf(key)), words),
    bisect: async (words, key) => bisect(world, await look(filesOf(key)), words),
    async undo({ id, key, ...request }) {
      if (id === undefined) return undoRevision(world, { scope: filesOf(key).scope }, request);
      const { change } = await findTarget(world.state, id);
      if (change === undefined)
        throw new MemoryError("NOT_FOUND", `${id} did not change MEMORY.md: there is nothing to undo`);
      const { scope, id: revision } = change.revision;
      return undoRevision(world, { scope }, { ...request, revision });
    },
    restore: (id, by) => restore(world, id, by),
    waiting: () => listWaiting(world),
    decide: (verdict) => decideHeld(world, verdict),
    async ledger() {
      await lookAtAll();
      return readLedger(world.state);
    },
    async forget(request, options) {
      const { forget } = await import("./forget.ts");
      return forget(world, workspace, request, options);
    },
    async replay(request) {
      const { replay } = await import("./replay.ts");
      return replay(world, workspace, request);
    },
    async test(key) {
      const files = filesOf(key);
      return checkExpectations(parseExpectations(await files.read(EXPECTATIONS_FILE)), await files.read(MEMORY_FILE));
    },
    async masked() {
      const { listSources } = await import("../search/list-sources.ts");
      const { readFile } = await import("node:fs/promises");
      const sources = listSources(workspace, { sessions: true }).filter(({ kind }) => kind !== "docs");
      const found = await Promise.all(
        sources.map(async ({ absolute }) =>
          listMasked(await readFile(absolute, "utf8")).map((secret) => ({
            ...secret,
            path: relative(workspace, join(absolute)).replaceAll("\\", "/"),
          })),
        ),
      );
      return found.flat();
    },
  };
}
