import { readdirSync, readFileSync } from "node:fs";
import { systemCode } from "../../errors.ts";

const CLOSES_ON_EXEC = 0o2000000;

/**
 * The descriptors beyond the first three that a program which we start would get as well: those that we were handed ourselves.
 * Node marks what it opens, and the first few that it finds, so that they close; what lies beyond a gap it never sees.
 */
export function inheritedDescriptors(): number[] {
  return openDescriptors().filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor));
}

function openDescriptors(): number[] {
  for (const folder of ["/proc/self/fd", "/dev/fd"]) {
    try {
      return readdirSync(folder).map(Number).filter(Number.isInteger);
    } catch (error) {
      if (!["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) throw error;
    }
  }
  // Where there is neither (Windows), nothing is handed down unless it is named.
  return [];
}

function closesOnExec(descriptor: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) !== 0;
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    // On Linux it was the one that the list was read by; elsewhere nobody tells.
    return process.platform === "linux";
  }
}
