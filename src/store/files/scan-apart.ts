import { spawn } from "node:child_process";
import { text as readText } from "node:stream/consumers";
import { describeError, MemoryError } from "../../errors.ts";
import { shippedScript } from "../../shipped.ts";
import { Scan } from "../forgetting.ts";
import type { Wanted } from "../forgetting.ts";

/**
 * Scans a folder in a process of its own, which holds nothing. Closing any descriptor of a file drops every POSIX lock
 * that the process has on it: a scan in here would take the ground from under our own open databases.
 */
export async function scanApart(folder: string, wanted: readonly Wanted[]): Promise<Scan> {
  try {
    const child = spawn(process.execPath, [shippedScript("store/files/scan-process")], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
    // A child that died does not read its order; why it died is what is told.
    child.stdin.once("error", () => child.kill());
    child.stdin.end(JSON.stringify({ folder, wanted }));
    const [code, output, problem] = await Promise.all([ended, readText(child.stdout), readText(child.stderr)]);
    if (code !== 0) throw new Error(problem.trim() || `the scan exited with ${code}`);
    return Scan.parse(JSON.parse(output));
  } catch (error) {
    throw new MemoryError(
      "FILE_UNREADABLE",
      `What was to be forgotten is gone, but ${folder} could not be scanned to verify it: ${describeError(error)}`,
      { cause: error },
    );
  }
}
