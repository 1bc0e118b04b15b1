import { spawn } from "node:child_process";

/** Opens a link in the person's browser; false where there seems to be none. */
export async function openBrowser(
  url: string,
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const command = commandFor(platform, environment);
  if (command === undefined) return false;
  const [program = "", ...before] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...before, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string[] | undefined {
  if (platform === "darwin") return ["open"];
  // `start` is a word of the shell, and takes its first quoted word for a title.
  if (platform === "win32") return ["cmd", "/c", "start", '""'];
  const hasScreen = Boolean(environment["DISPLAY"] || environment["WAYLAND_DISPLAY"]);
  const isRemote = Boolean(environment["SSH_CONNECTION"]);
  return hasScreen && !isRemote ? ["xdg-open"] : undefined;
}
