import { spawnSync } from "node:child_process";

/** Writes a result; on a terminal that it would run out of, through the person's pager. */
export function page(text: string): void {
  const { isTTY, rows } = process.stdout;
  const pager = process.env["TIDEMARK_PAGER"] ?? process.env["PAGER"] ?? "less";
  const isLong = isTTY && process.stdin.isTTY && rows > 0 && text.split("\n").length > rows;
  if (!isLong || pager === "" || pager === "cat" || !runPager(pager, text)) process.stdout.write(text);
}

/** False where there is no such program. */
function runPager(pager: string, text: string): boolean {
  if (process.platform === "win32") return false;
  const { status, error } = spawnSync("/bin/sh", ["-c", pager], {
    input: text,
    stdio: ["pipe", "inherit", "inherit"],
    // F leaves at once what fits, R shows colours, X leaves the text on the screen.
    env: { LESS: "FRX", ...process.env },
  });
  // 127: the shell did not find it. A reader who leaves early has seen enough.
  const isLeft = error !== undefined && "code" in error && error.code === "EPIPE";
  return status !== 127 && (error === undefined || isLeft);
}
