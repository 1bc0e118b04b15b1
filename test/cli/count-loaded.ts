import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/workspace.ts";
import { runCli } from "./run-cli.ts";
import type { CliResult } from "./run-in-one.ts";

/** What a command loaded of our own and of packages, besides what is part of Node. */
export interface Loaded extends CliResult {
  /** The names of the files, without the hash of what is in them. */
  names: string[];
  bytes: number;
  /** The packages that something of is in those files. */
  packages: string[];
}

// Told at the end, by the loader itself: nothing that is loaded late escapes it.
const COUNT = `
import { registerHooks } from "node:module";
import { writeFileSync } from "node:fs";
const loaded = [];
registerHooks({
  load(url, context, next) {
    const result = next(url, context);
    if (url.startsWith("file:")) {
      const source = String(result.source ?? "");
      const packages = [...source.matchAll(/^\\/\\/ node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//gm)].map((match) => match[1]);
      loaded.push({ url, bytes: Buffer.byteLength(source), packages });
    }
    return result;
  },
});
process.on("exit", () => writeFileSync(process.env.LOADED_FILE, JSON.stringify(loaded)));
`;

/** Runs a command, and counts the files and bytes that it loads. */
export async function countLoaded(args: readonly string[], input = ""): Promise<Loaded> {
  const file = join(temporaryFolder(), "loaded.json");
  const result = await runCli(args, {
    env: { LOADED_FILE: file },
    input,
    node: [`--import=data:text/javascript,${encodeURIComponent(COUNT)}`],
  });
  const loaded: { url: string; bytes: number; packages: string[] }[] = JSON.parse(readFileSync(file, "utf8"));
  return {
    ...result,
    names: loaded.map(({ url }) =>
      url.replace(/^.*\/(?=bin\/|dist\/|node_modules\/)/, "").replace(/-[\w-]{8}(?=\.js$)/, ""),
    ),
    packages: [...new Set(loaded.flatMap(({ packages }) => packages))].toSorted(),
    bytes: loaded.reduce((sum, each) => sum + each.bytes, 0),
  };
}
