import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkSessions } from "../../src/cli/checks/check-sessions.ts";
import { checkState } from "../../src/cli/checks/check-state.ts";
import { loadConfig } from "../../src/config.ts";
import { openMemory } from "../../src/index.ts";
import type { Apply } from "../../src/history/state.ts";
import { whereKept } from "../support/where-kept.ts";
import { temporaryFolder } from "../support/workspace.ts";

const SECRET = "zebra-forty-two";
const AT = "2026-11-16T09:00:00.000+00:00";

const APPLY: Apply = {
  run: {
    id: "aside-1",
    scope: "",
    session: "",
    from: 0,
    to: 0,
    cause: "remember",
    model: "user",
    outcome: "consolidated",
    reason: null,
    startedAt: AT,
    finishedAt: AT,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
    counts: { kept: 0, added: 0, reworded: 0, retired: 0 },
  },
  author: "run",
  log: null,
  entries: [{ file: "HISTORY.md", entry: `[2026-11-16 09:00] Her locker code is ${SECRET}.`, size: 0, timesBefore: 0 }],
  memory: null,
  edits: [],
  facts: [],
  retired: [],
  held: null,
};

it("does not write back what was forgotten between its look and its repair", async () => {
  const workspace = temporaryFolder();
  const memory = await openMemory({ workspace, passive: true });
  await (await memory.session("cli:a")).append({ role: "user", content: "Hello" });
  appendFileSync(join(workspace, "sessions/cli_a.jsonl"), `{"role": "user", "content": "${SECRET}\n`);
  const { state } = memory;
  await state.prepareApply(APPLY);
  await state.setAside("aside-1", "a folder stood where the diary should be", AT);
  await state.enqueueJob("given-up", "given-up", { session: "cli:a" }, AT);
  await state.failJob((await state.listJobs())[0]?.id ?? 0, `no answer to “${SECRET}”`, "dead");
  const looks = [await checkSessions(workspace), await checkState(workspace, loadConfig(workspace), new Date())];
  const findings = looks.flatMap((look) => look.findings);
  expect(findings.map(({ check }) => check)).toEqual(["sessions", "journal", "jobs"]);
  expect(await memory.trust.forget({ text: SECRET })).toMatchObject({ receipt: { left: [] } });
  await memory.close();
  for (const { repair } of findings) await repair?.();
  expect(await whereKept(workspace, SECRET)).toEqual([]);
});
