import { basename } from "node:path";
import { systemCode } from "../errors.ts";
import { OWN_FOLDER } from "../layout.ts";
import type { Work } from "./forget-places.ts";
import { linesWithout } from "./lines-without.ts";

/** What was piped into an import that was killed; one that goes on has it in hand, and takes it away at its end. */
export async function forgetPipedLines({ workspace, match, isTrial, finds }: Work): Promise<number> {
  const { forgetting } = workspace.store;
  const piped = (await forgetting.list(OWN_FOLDER)).filter(isLeftPipe);
  let count = 0;
  for (const path of piped) {
    const bytes = await forgetting.read(path);
    const left = bytes && linesWithout(bytes, match);
    if (bytes === undefined || left === undefined || left.length === bytes.length) continue;
    count++;
    finds.push({ path, text: "(lines that contain it)" });
    if (!isTrial) await forgetting.replace(path, left);
  }
  return count;
}

function isLeftPipe(path: string): boolean {
  const [, pid] = /^import-(\d+)\.jsonl$/.exec(basename(path)) ?? [];
  return pid !== undefined && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
