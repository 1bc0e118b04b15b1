import { closeSync, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describeError } from "../../errors.ts";
import { isLocked, withLock } from "../../store/files/lock.ts";
import { readLogLines } from "../../store/files/read-log.ts";
import { parseLine } from "../../session/log-line.ts";
import { listLogFiles } from "../../store/files/session-folder.ts";
import { countOf } from "../print.ts";
import type { Checked, Finding } from "./finding.ts";
import { locksPath, sessionsPath } from "../../layout.ts";

/** Lines that are no messages: loading passes over them, and keeps a copy beside the file. */
export async function checkSessions(workspace: string): Promise<Checked> {
  const folder = sessionsPath(workspace);
  const findings: Finding[] = [];
  const notes: string[] = [];
  for (const path of [...(await listLogFiles(folder)), ...(await listLogFiles(join(folder, "archive")))]) {
    try {
      const { missing, kept } = readDamage(workspace, path);
      if (missing.length > 0) findings.push(damageFinding(workspace, path, missing));
      if (kept > 0)
        notes.push(
          `${countOf(kept, "damaged line")} of ${basename(path)} ${kept === 1 ? "is" : "are"} kept in ${path}.damaged`,
        );
    } catch (error) {
      const problem = `${path} cannot be read: ${describeError(error)}`;
      findings.push({ check: "sessions", problem, fix: "check its permissions and the disk" });
    }
  }
  return { findings, notes };
}

interface Damaged {
  line: number;
  bytes: Buffer;
}

function damageFinding(workspace: string, path: string, missing: readonly Damaged[]): Finding {
  const copy = `${path}.damaged`;
  return {
    check: "sessions",
    problem: `${countOf(missing.length, "damaged line")}, the first at ${path}:${missing[0]?.line}`,
    fix: `keep a copy in ${copy}; the other lines load as usual`,
    repair: () =>
      withLock(lockOf(workspace, path), async () => {
        // As it is now: since they were found, lines may have been forgotten.
        const now = existsSync(path) ? withoutKept(path, findDamaged(path)) : [];
        if (now.length === 0) return;
        await appendFile(copy, Buffer.concat(now.flatMap(({ bytes }) => [bytes, Buffer.from("\n")])), { mode: 0o600 });
      }),
  };
}

function readDamage(workspace: string, path: string): { missing: Damaged[]; kept: number } {
  const found = findDamaged(path);
  // What follows the last newline may be an append under way: with the lock of those who append, it is not.
  const damaged = found.some(({ isLast }) => isLast) ? findDamagedAlone(path, lockOf(workspace, path)) : found;
  const missing = withoutKept(path, damaged);
  return { missing, kept: damaged.length - missing.length };
}

function lockOf(workspace: string, path: string): string {
  return locksPath(workspace, `${basename(path, ".jsonl")}.append`);
}

/** Those of which there is no copy yet. */
function withoutKept(path: string, damaged: readonly Damaged[]): Damaged[] {
  const copy = existsSync(`${path}.damaged`) ? readFileSync(`${path}.damaged`) : Buffer.alloc(0);
  return damaged.filter(({ bytes }) => !copy.includes(bytes));
}

/** Whoever appends at this moment is not waited for: then the last line is theirs, and whole in a moment. */
function findDamagedAlone(path: string, lockPath: string) {
  const found = findDamaged(path);
  return isLocked(lockPath) ? found.filter(({ isLast }) => !isLast) : found;
}

function findDamaged(path: string): (Damaged & { isLast: boolean })[] {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const { lines, rest } = readLogLines(file, 0, size);
    const last = parseLine(rest, size - rest.length);
    const damaged = [...lines, ...(last ? [last] : [])].filter((line) => line.kind === "damaged");
    if (damaged.length === 0) return [];
    const content = readFileSync(path);
    return damaged.map((line) => ({
      line: countNewlines(content, line.offset) + 1,
      bytes: line.bytes,
      isLast: line === last,
    }));
  } finally {
    closeSync(file);
  }
}

function countNewlines(content: Buffer, end: number): number {
  let count = 0;
  for (let at = content.indexOf(10); at >= 0 && at < end; at = content.indexOf(10, at + 1)) count += 1;
  return count;
}
