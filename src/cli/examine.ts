import { existsSync } from "node:fs";
import type { Environment } from "../config.ts";
import { describeError, MemoryError } from "../errors.ts";
import { isAddress } from "../store/address.ts";
import { checkConfig } from "./checks/check-config.ts";
import { checkDatabase } from "./checks/check-database.ts";
import { checkHooks } from "./checks/check-hooks.ts";
import { checkLeftovers } from "./checks/check-leftovers.ts";
import { checkMemoryFiles } from "./checks/check-memory-files.ts";
import { checkModels } from "./checks/check-model.ts";
import { checkPermissions } from "./checks/check-permissions.ts";
import { checkSessions } from "./checks/check-sessions.ts";
import { checkState } from "./checks/check-state.ts";
import { describeLeftOut } from "./left-out.ts";
import type { Checked, Finding } from "./checks/finding.ts";

/** What was found, and what became of it. */
export interface Examination {
  workspace: string;
  findings: (Pick<Finding, "check" | "problem" | "fix"> & { isFixable: boolean; isFixed: boolean })[];
  notes: string[];
}

/** Looks for everything that is known to go wrong in a workspace; `fix` puts right what is safe to put right. */
export async function examine(options: {
  workspace: string;
  environment: Environment;
  now: Date;
  fix: boolean;
}): Promise<Examination> {
  const { workspace, environment, now, fix } = options;
  const examination: Examination = { workspace, findings: [], notes: [] };
  const { config, ...configured } = await checkConfig(workspace, environment);
  // One after the other, each mended before the next one looks: what may not be read cannot be checked.
  const inFolder = [
    () => checkFolder(workspace),
    () => checkPermissions(workspace),
    () => checkLeftovers(workspace, now),
    () => checkMemoryFiles(workspace),
    () => Promise.resolve(checkHooks(workspace, now)),
    () => Promise.resolve({ findings: [], notes: [describeLeftOut(workspace) ?? []].flat() }),
    () => checkSessions(workspace),
    () => checkState(workspace, config, now),
  ];
  const checks = [
    () => Promise.resolve(configured),
    ...(isAddress(workspace) ? [() => checkDatabase(workspace)] : inFolder),
    () => checkModels(config),
  ];
  for (const check of checks) {
    const { findings, notes } = await check().catch(toFinding);
    for (const finding of findings) examination.findings.push(await settle(finding, fix));
    examination.notes.push(...notes);
  }
  return examination;
}

async function checkFolder(workspace: string): Promise<Checked> {
  if (existsSync(workspace)) return { findings: [], notes: [] };
  const problem = `there is no folder ${workspace}`;
  const fix = `check the path, or make a workspace there: tidemark init -w ${workspace}`;
  return { findings: [{ check: "workspace", problem, fix }], notes: [] };
}

/** What stops a check is a finding of its own. */
function toFinding(error: unknown): Checked {
  if (!(error instanceof MemoryError)) throw error;
  const fix = "fix this first, then run doctor again; the rest of this check was skipped";
  return { findings: [{ check: "workspace", problem: error.message, fix }], notes: [] };
}

async function settle({ repair, ...finding }: Finding, fix: boolean): Promise<Examination["findings"][number]> {
  const settled = { ...finding, isFixable: repair !== undefined, isFixed: false };
  if (!fix || !repair) return settled;
  try {
    await repair();
    return { ...settled, isFixed: true };
  } catch (error) {
    return { ...settled, problem: `${finding.problem} (--fix failed: ${describeError(error)})` };
  }
}
