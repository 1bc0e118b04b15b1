import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NOT_AWAKE, readFailures, recordFailure } from "../../src/hook/failures.ts";
import { putBy, listWaiting, withReserve } from "../../src/hook/hooks-folder.ts";
import { setReserve } from "../../src/hook/set-reserve.ts";
import { temporaryFolder } from "../support/workspace.ts";

const failure = { at: "2026-11-15T10:00:00.000Z", client: "codex", event: "Stop", reason: "it broke" };

it("keeps what someone should look at, within its bounds, and passes over what is damaged", () => {
  const workspace = temporaryFolder();
  const path = join(workspace, ".tidemark/hooks/failures.jsonl");
  recordFailure(workspace, failure);
  recordFailure(workspace, { ...failure, reason: NOT_AWAKE });
  appendFileSync(path, "{ torn\n7\n");
  expect(readFileSync(path, "utf8")).toContain(NOT_AWAKE);
  expect(readFailures(workspace).filter(({ client }) => client !== "")).toEqual([failure]);
  for (let count = 0; count < 400; count += 1) recordFailure(workspace, { ...failure, reason: "x".repeat(5000) });
  expect(statSync(path).size).toBeLessThan(66 * 1024);
});

it("gives up the room that was set aside when the disk is full, and only then", () => {
  const workspace = temporaryFolder();
  const reserve = join(workspace, ".tidemark/hooks/reserve");
  setReserve(workspace);
  expect(statSync(reserve).size).toBe(256 * 1024);
  putBy(workspace, { client: "codex", event: "Stop", at: failure.at, input: "{}" });
  putBy(workspace, { client: "codex", event: "Stop", at: failure.at, input: "{}" });
  expect(listWaiting(workspace)).toHaveLength(2);
  expect(existsSync(reserve)).toBe(true);
  let tries = 0;
  withReserve(workspace, () => {
    tries += 1;
    // As a full disk says it, until there is room.
    if (existsSync(reserve)) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  expect([tries, existsSync(reserve)]).toEqual([2, false]);
  const fails = () => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  expect(() => withReserve(workspace, fails)).toThrow("no space left");
});
