import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordChange } from "../../src/change/commit.ts";
import { checkSessions } from "../../src/cli/checks/check-sessions.ts";
import { checkState } from "../../src/cli/checks/check-state.ts";
import { loadConfig } from "../../src/config.ts";
import { openMemory } from "../../src/index.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const SECRET = "zebra-forty-two";
const AT = "2026-11-16T09:00:00.000+00:00";

it("does not write back what was forgotten between its look and its repair", async () => {
  const workspace = temporaryFolder();
  const memory = await openMemory({ workspace, passive: true });
  await (await memory.session("cli:a")).append({ role: "user", content: "Hello" });
  appendFileSync(join(workspace, "sessions/cli_a.jsonl"), `{"role": "user", "content": "${SECRET}\n`);
  const { queue } = memory;
  const entry = `[2026-11-16 09:00] Her locker code is ${SECRET}.`;
  const { id } = await recordChange(memory.opened, {
    scope: "",
    author: "person",
    by: "user",
    cause: "remember",
    entries: [{ file: "HISTORY.md", entry, size: 0, timesBefore: 0 }],
  });
  await queue.quarantine({ id, scope: "", problem: "a folder stood where the diary should be", at: AT });
  await queue.enqueueJobs([{ kind: "given-up", name: "given-up", payload: { session: "cli:a" }, at: AT }]);
  await queue.failJob((await queue.listJobs())[0]?.id ?? 0, `no answer to “${SECRET}”`, "dead");
  const looks = [await checkSessions(workspace), await checkState(workspace, loadConfig(workspace), new Date())];
  const findings = looks.flatMap((look) => look.findings);
  expect(findings.map(({ check }) => check)).toEqual(["sessions", "changes", "jobs"]);
  expect(await memory.trust.forget({ text: SECRET })).toMatchObject({ receipt: { left: [] } });
  await memory.close();
  for (const { repair } of findings) await repair?.();
  expect(await whereKept(workspace, SECRET)).toEqual([]);
});
