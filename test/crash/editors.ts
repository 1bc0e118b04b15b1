import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** How editors and shells put one more line into a file. */
export const WAYS: Readonly<Record<string, (path: string, line: string) => void | Promise<void>>> = {
  append: (path, line) => appendFileSync(path, line),
  "truncate and write": (path, line) => writeFileSync(path, `${readFileSync(path, "utf8")}${line}`),
  "rename over": (path, line) => {
    writeFileSync(`${path}.new`, `${readFileSync(path, "utf8")}${line}`);
    renameSync(`${path}.new`, path);
  },
  "sed -i": (path, line) => void execFileSync("sed", ["-i", `$a ${line.trimEnd()}`, path]),
  "an open file, saved late": async (path, line) => {
    const file = openSync(path, "r+");
    try {
      const text = readFileSync(path, "utf8");
      await wait(lateMs());
      ftruncateSync(file);
      writeSync(file, `${text}${line}`, 0);
    } finally {
      closeSync(file);
    }
  },
  "a window left open, saved late": async (path, line) => {
    const text = readFileSync(path, "utf8");
    await wait(lateMs());
    writeFileSync(path, `${text}${line}`);
  },
};

/** Mostly a few changes late, now and then many. */
function lateMs(): number {
  return 400 * Math.random() ** 3;
}
