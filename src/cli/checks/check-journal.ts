import { join } from "node:path";
import { finishApply } from "../../change/finish-apply.ts";
import type { Config } from "../../config.ts";
import { isLocked } from "../../store/files/lock.ts";
import { locksPath, memoryLockName, memoryPath } from "../../layout.ts";
import { openWorkspace } from "../../open-workspace.ts";
import type { AsideApply, State } from "../../state/state.ts";
import type { Workspace } from "../../workspace.ts";
import { countOf } from "../print.ts";
import type { Finding } from "./finding.ts";

/** Every change that was begun is finished, and none was set aside. */
export async function checkJournal(workspace: string, config: Config, state: State): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const scope of await state.pendingScopes()) {
    // Held: a process is at it right now.
    if (isLocked(locksPath(workspace, memoryLockName(scope)))) continue;
    const pending = await state.pendingApplies(scope);
    if (pending.length === 0) continue;
    const sessions = [...new Set(pending.map(({ session }) => session))].join(", ");
    findings.push({
      check: "journal",
      problem: `${countOf(pending.length, "digest")} of ${sessions} stopped halfway`,
      fix: "any command that writes finishes it, such as tidemark consolidate",
      repair: () => finishJournal(workspace, config),
    });
  }
  for (const aside of await state.listAside()) findings.push(asideFinding(workspace, config, aside));
  return findings;
}

/** Opening a workspace finishes its journal; no model is needed for that. */
async function finishJournal(path: string, config: Config): Promise<void> {
  await withWorkspace(path, config, async ({ state }, problems) => {
    const [rest, aside] = [await state.pendingScopes(), await state.listAside()];
    if (rest.length + aside.length > 0) throw new Error(problems.join("; ") || "it is still unfinished");
  });
}

function asideFinding(workspace: string, config: Config, aside: AsideApply): Finding {
  const { run, scope, session, problem, at } = aside;
  const whose = session === "" ? "" : ` of ${session}`;
  return {
    check: "journal",
    problem: `the change ${run}${whose} was set aside at ${at}: ${problem}`,
    fix: adviceFor(workspace, aside),
    repair: () => withWorkspace(workspace, config, (opened) => settleAside(opened, run, scope)),
  };
}

function adviceFor(workspace: string, { run, scope, apply, isRecorded }: AsideApply): string {
  if (isRecorded)
    return "everything else it did is on record, and the session will be digested again from its cursor; --fix drops it";
  if (apply === undefined) return `--fix moves what it holds to ${keptAt(memoryPath(workspace, scope), run)}`;
  return "remove the cause, then run --fix to try again";
}

/** Tries again; what cannot be read goes to a file, for a person to look at. */
async function settleAside(workspace: Workspace, run: string, scope: string): Promise<void> {
  const files = workspace.filesOfScope(scope);
  await files.exclusively(async () => {
    // As it is now: since it was found, words of it may have been forgotten, or someone else has settled it.
    const aside = (await workspace.state.listAside()).find((each) => each.run === run);
    if (aside === undefined) return;
    const { apply, payload, isRecorded } = aside;
    if (apply !== undefined && !isRecorded) await finishApply(workspace, files, apply);
    else if (!isRecorded) await workspace.documents.write(keptAt(files.folder, run), payload);
    await workspace.state.dropAside(run);
  });
}

/** Below the memory files, so that forgetting reaches it. */
function keptAt(folder: string, run: string): string {
  return join(folder, "set-aside", `${run.replaceAll(/[^\w-]/g, "_")}.json`);
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
    await workspace.store.close();
    stopTelling();
  }
}
