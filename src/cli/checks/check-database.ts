import { chooseStore } from "../../choose-store.ts";
import { readAddress } from "../../store/address.ts";
import { lookAtDatabase } from "../../store/postgres/postgres-source.ts";
import { countOf } from "../print.ts";
import { afterFailures } from "./check-state.ts";
import type { Checked, Finding } from "./finding.ts";

const OLDEST = 150_000;
// Jobs say by our clock when they are due.
const WRONG_CLOCK_MS = 60_000;

/** The database can be reached, is new enough, keeps workspaces apart, and no job is stuck. */
export async function checkDatabase(workspace: string): Promise<Checked> {
  const facts = await lookAtDatabase(readAddress(workspace), Date.now);
  const findings: Finding[] = [];
  const note = (problem: string, fix: string) => findings.push({ check: "database", problem, fix });
  if (facts.versionNumber < OLDEST) note(`this is PostgreSQL ${facts.version}`, "use PostgreSQL 15 or later");
  if (facts.seesThroughWalls)
    note(
      "this role is a superuser or bypasses row-level security, so nothing but our own queries keeps workspaces apart",
      "connect as a role that owns its database and no more",
    );
  if (Math.abs(facts.clockAheadMs) > WRONG_CLOCK_MS)
    note(
      `the clocks of this machine and the database are ${Math.round(Math.abs(facts.clockAheadMs) / 1000)} seconds apart`,
      "set the clock of whichever is wrong",
    );
  const isOurs = facts.schema === facts.neededSchema;
  if (!isOurs)
    note(
      `its tables are at schema ${facts.schema}, and this Tidemark needs ${facts.neededSchema}`,
      facts.schema > facts.neededSchema ? "update Tidemark" : "tidemark migrate, or any command that writes",
    );
  const notes = [`PostgreSQL ${facts.version}, ${countOf(facts.mostConnections, "connection")} at most`];
  return { findings: [...findings, ...(isOurs ? await checkJobs(workspace) : [])], notes };
}

async function checkJobs(workspace: string): Promise<Finding[]> {
  const setting = { timezone: "UTC", timestamp: () => "", newId: () => "", notice: () => undefined, readOnly: true };
  const store = await chooseStore({ workspace }).source?.open(setting);
  try {
    const jobs = (await store?.queue.listJobs()) ?? [];
    const quarantined = (await store?.queue.listQuarantined()) ?? [];
    return [
      ...jobs
        .filter(({ state }) => state === "dead")
        .map(({ kind, name, failures, lastError }) => ({
          check: "jobs",
          problem: `the job ${kind} ${name} was given up${afterFailures({ failures })}${lastError === null ? "" : `: ${lastError}`}`,
          fix: "tidemark consolidate runs it again",
        })),
      ...quarantined.map(({ id, problem }) => ({
        check: "changes",
        problem: `the change ${id} was quarantined: ${problem}`,
        fix: "tidemark review shows what waits",
      })),
    ];
  } finally {
    await store?.close();
  }
}
