import type { State } from "../../../history/state.ts";
import type { Tenant } from "../tenant.ts";
import { createAccounts } from "./accounts.ts";
import { createAnswers } from "./answers.ts";
import { createReviewing } from "./decided.ts";
import { createErasing } from "./erasing.ts";
import { createFacts } from "./facts.ts";
import { createJobQueue } from "./jobs.ts";
import { createJournal } from "./journal.ts";
import { createOutside } from "./outside.ts";
import { createRevisions } from "./revisions.ts";
import { createRuns, createWaiting } from "./runs.ts";
import { createSpend } from "./spend.ts";

/** The records of one workspace, as rows. */
export function createRecords(tenant: Tenant): State {
  return {
    ...createJournal(tenant),
    ...createRuns(tenant),
    ...createAnswers(tenant),
    ...createRevisions(tenant),
    ...createFacts(tenant),
    ...createAccounts(tenant),
    ...createOutside(tenant),
    ...createWaiting(tenant),
    ...createReviewing(tenant),
    ...createSpend(tenant),
    ...createJobQueue(tenant),
    ...createErasing(tenant),
    // Tables that a newer version made are refused when the store is opened.
    problem: undefined,
    // The connections are the store's.
    close: async () => undefined,
  };
}
