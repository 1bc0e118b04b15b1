import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeMonth } from "./make-month.ts";

// Makes a month of memory in a temporary folder and shows it in the inspector: npm run demo:ui [-- --no-open …]
const workspace = await mkdtemp(join(tmpdir(), "tidemark-demo-ui-"));
process.stderr.write(`A made-up month in ${workspace}; it is removed at the end.\n`);
await makeMonth(workspace, new Date());
const command = resolve(import.meta.dirname, "../../bin/tidemark.js");
const child = spawn(process.execPath, [command, "ui", "-w", workspace, ...process.argv.slice(2)], { stdio: "inherit" });
// Ctrl+C reaches both; the child ends first, in its own time.
process.on("SIGINT", () => undefined).on("SIGTERM", () => child.kill("SIGTERM"));
child.once("exit", (code) => {
  void rm(workspace, { recursive: true, force: true }).then(() => process.exit(code ?? 0));
});
