import { temporaryFolder } from "../support/workspace.ts";

/** Where the workspaces of the crash tests lie: in folders, and on a real PostgreSQL where one is named. */
export interface CrashPlace {
  readonly name: string;
  /** A new workspace, as `openMemory` takes it. */
  readonly create: () => string;
}

const address = process.env["TIDEMARK_TEST_POSTGRES"];
let count = 0;

export const CRASH_PLACES: readonly CrashPlace[] = [
  { name: "a folder", create: temporaryFolder },
  ...(address === undefined
    ? []
    : [
        {
          name: "PostgreSQL",
          create() {
            const url = new URL(address);
            // What a killed process held is free again after this: else most of the time would be spent waiting.
            url.searchParams.set("lock_lease", "3");
            url.searchParams.set("workspace", `crash ${process.pid} ${Date.now()} ${++count}`);
            return url.href;
          },
        },
      ]),
];
