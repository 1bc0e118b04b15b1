import { readFailures } from "../../hook/failures.ts";
import { listWaiting } from "../../hook/hooks-folder.ts";
import { countOf } from "../print.ts";
import type { Checked } from "./finding.ts";

const RECENT_MS = 7 * 24 * 3_600_000;
// The process behind the hooks takes up what waits within seconds.
const MANY_WAITING = 20;

/** What the hooks of clients could not do lately: the clients say nothing about it. */
export function checkHooks(workspace: string, now: Date): Checked {
  const recent = readFailures(workspace).filter(({ at }) => now.getTime() - Date.parse(at) < RECENT_MS);
  const last = recent.at(-1);
  const notes = last
    ? [
        `${countOf(recent.length, "hook")} failed in the last week; the last, ${last.client} ${last.event} at ${last.at}: ${last.reason}`,
      ]
    : [];
  const waiting = listWaiting(workspace).length;
  const findings =
    waiting < MANY_WAITING
      ? []
      : [
          {
            check: "hooks",
            problem: `${waiting} hook calls are waiting to be processed`,
            fix: `see what is holding them up: tidemark hook --stay -w ${workspace}`,
          },
        ];
  return { findings, notes };
}
