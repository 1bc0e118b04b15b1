import { carryOut } from "../../change/carry-out.ts";
import type { Config } from "../../config.ts";
import { openHistory } from "../../history/open-history.ts";
import { cachePath, CHANGES_FOLDER, locksPath, MEMORY_FILE, memoryLockName } from "../../layout.ts";
import { openWorkspace } from "../../open-workspace.ts";
import { createChangeLogs } from "../../store/files/change-logs.ts";
import { isLocked } from "../../store/files/lock.ts";
import type { Quarantined, Queue } from "../../store/queue.ts";
import type { Workspace } from "../../workspace.ts";
import { countOf } from "../print.ts";
import type { Finding } from "./finding.ts";

const CHECK = "changes";

/** Every change is readable and carried out, and none is quarantined. */
export async function checkChanges(workspace: string, config: Config, queue: Queue): Promise<Finding[]> {
  const logs = createChangeLogs(workspace, () => "");
  const history = openHistory({ logs, path: cachePath(workspace), isReadOnly: true });
  const findings: Finding[] = [];
  try {
    for (const { scope, lines } of await history.countDamaged())
      findings.push({
        check: CHECK,
        problem: `${countOf(lines, "line")} of the log of ${scope === "" ? "memory" : scope} in ${CHANGES_FOLDER} cannot be read`,
        fix: "restore the file from a backup; what the lines said is missing from log, why and undo, and nothing else",
      });
    for (const scope of await history.scopesWithTail()) {
      // Held: a process is at it right now.
      if (isLocked(locksPath(workspace, memoryLockName(scope)))) continue;
      const { changes, isSure } = await history.listTail(scope);
      if (changes.length === 0 || !isSure) continue;
      findings.push({
        check: CHECK,
        problem: `${countOf(changes.length, "change")} of ${scope === "" ? "memory" : scope} stopped halfway`,
        fix: "any command that writes finishes it, such as tidemark consolidate",
        repair: () => finishChanges(workspace, config),
      });
    }
  } finally {
    history.close();
  }
  for (const quarantined of await queue.listQuarantined())
    findings.push({
      check: CHECK,
      problem: `the change ${quarantined.id} was quarantined at ${quarantined.at}: ${quarantined.problem}`,
      fix: "remove the cause, then run --fix: it tries again, and lets go of a cursor that has nowhere to go",
      repair: () => withWorkspace(workspace, config, (opened) => retry(opened, quarantined)),
    });
  return findings;
}

/** Opening a workspace finishes its changes; no model is needed for that. */
async function finishChanges(path: string, config: Config): Promise<void> {
  await withWorkspace(path, config, async ({ history, queue }, problems) => {
    const [rest, quarantined] = [await history.scopesWithTail(), await queue.listQuarantined()];
    if (rest.length + quarantined.length > 0) throw new Error(problems.join("; ") || "it is still unfinished");
  });
}

/** Tries again. A cursor that still has nowhere to go stays where it is: everything else the change did is done. */
async function retry(workspace: Workspace, { id, scope }: Quarantined): Promise<void> {
  const files = workspace.filesOfScope(scope);
  await files.exclusively(async () => {
    // As it is now: since it was found, words of it may have been forgotten, or someone else has settled it.
    const [change] = await workspace.history.at([id]);
    const [head] = await workspace.history.find(id);
    const texts = head?.file === MEMORY_FILE ? await workspace.history.textsOf(id) : undefined;
    if (change) await carryOut(workspace, files, change, texts && { before: texts.before, after: texts.text }, true);
    await workspace.queue.release(id);
  });
}

async function withWorkspace(
  path: string,
  config: Config,
  work: (workspace: Workspace, notices: readonly string[]) => Promise<void>,
): Promise<void> {
  const { defaults } = config.agents;
  const withoutModel = {
    ...config,
    agents: { defaults: { ...defaults, model: undefined } },
    consolidation: { ...config.consolidation, model: undefined },
  };
  const notices: string[] = [];
  const { workspace, stopTelling } = await openWorkspace(path, withoutModel, {
    emit: (event) => void (event.type === "notice" && notices.push(event.text)),
  });
  try {
    await work(workspace, notices);
  } finally {
    workspace.history.close();
    await workspace.store.close();
    stopTelling();
  }
}
