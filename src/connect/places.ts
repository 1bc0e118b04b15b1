import { existsSync } from "node:fs";
import { delimiter, join, normalize } from "node:path";
import type { Place } from "./client.ts";

/** The machine as a client sees it. */
export interface Machine {
  platform: "linux" | "darwin" | "win32";
  home: string;
  /** The folder that `--project` means. */
  project: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** The folders that places are written with. */
function rootsOf({ home, project, environment }: Machine): Record<string, string> {
  const claude = environment["CLAUDE_CONFIG_DIR"];
  const openclaw = environment["OPENCLAW_STATE_DIR"] || join(home, ".openclaw");
  return {
    home,
    project,
    config: environment["XDG_CONFIG_HOME"] || join(home, ".config"),
    support: join(home, "Library", "Application Support"),
    appData: environment["APPDATA"] || join(home, "AppData", "Roaming"),
    claude: claude || join(home, ".claude"),
    claudeFile: claude ? join(claude, ".claude.json") : join(home, ".claude.json"),
    codex: environment["CODEX_HOME"] || join(home, ".codex"),
    openclaw,
    openclawFile: environment["OPENCLAW_CONFIG_PATH"] || join(openclaw, "openclaw.json"),
  };
}

/** The file that a place means here: of several names the one that is there, else the first one. */
export function findPlace(place: Place, machine: Machine): string {
  const paths = pathsOf(place, machine);
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? "";
}

/** Every path that a place may mean here. */
export function pathsOf(place: Place, machine: Machine): string[] {
  const roots = rootsOf(machine);
  const templates = typeof place === "string" ? [place] : place[machine.platform];
  return templates.map((template) => normalize(template.replace(/\{(\w+)\}/g, (_, name: string) => roots[name] ?? "")));
}

/** The absolute path of a command on the PATH. */
export function findCommand(name: string, { platform, environment }: Machine): string | undefined {
  const endings = platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const folders = (environment["PATH"] ?? environment["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders
    .flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)))
    .find((path) => existsSync(path));
}
