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
            url.searchParams.set("workspace", `crash ${process.pid} ${Date.now()} ${++count}`);
            return url.href;
          },
        },
      ]),
];
