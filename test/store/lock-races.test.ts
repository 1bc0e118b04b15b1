import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFileLocks } from "../../src/store/files/file-locks.ts";
import { isLocked } from "../../src/store/files/lock.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("a worker holds its own lock, also when another looks for dead workers at that moment", async () => {
  const folder = temporaryFolder();
  const module = new URL("../../src/store/files/file-locks.ts", import.meta.url).href;
  const script = `import { clearDeadWorkers } from ${JSON.stringify(module)};
    console.log("clearing");
    for (;;) await clearDeadWorkers(${JSON.stringify(folder)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const locks = createFileLocks(folder);
  for (let life = 0; life < 300; life++) {
    const worker = await locks.live(`worker-${life}`);
    expect([life, isLocked(join(folder, `worker-${life}`))]).toEqual([life, true]);
    await worker.end();
  }
});
