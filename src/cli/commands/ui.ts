import type { Command } from "commander";
import { note } from "../print.ts";
import { untilSignal } from "../until-signal.ts";
import { readVersion } from "../read-version.ts";
import { addWorkspaceOption, namedWorkspace } from "../workspace.ts";
import { parsePort } from "./serve.ts";

interface UiFlags {
  port: number;
  open: boolean;
  readOnly?: boolean;
}

const HOST = "127.0.0.1";

/** Adds `ui`. */
export function addUiCommand(program: Command): void {
  addWorkspaceOption(program.command("ui"))
    .description("see and edit the memory in a browser")
    .option("-p, --port <number>", "the port on loopback; a free one by default", parsePort, 0)
    .option("--no-open", "only print the address")
    .option("--read-only", "allow no changes")
    .action(async (flags: UiFlags, command: Command) => showPage(flags, await namedWorkspace(command)));
}

async function showPage({ port, open, readOnly: isReadOnly = false }: UiFlags, workspace: string): Promise<void> {
  const { randomBytes } = await import("node:crypto");
  const { createInterface } = await import("node:readline");
  const { openBrowser } = await import("../open-browser.ts");
  const { openMemory } = await import("../../memory.ts");
  const { createApp } = await import("../../server/create-app.ts");
  const { openInspector } = await import("../../server/inspector/open-inspector.ts");
  const { listen } = await import("../../server/listen.ts");
  const { examine } = await import("../examine.ts");
  const version = readVersion();
  // No one needs to know it: the link that is printed trades for the page's cookie, once.
  const token = randomBytes(32).toString("base64url");
  const memory = await openMemory({ workspace, isLongRunning: true, readOnly: isReadOnly, onNotice: note });
  const inspector = openInspector(memory, {
    version,
    token,
    isReadOnly,
    examine: () => examine({ workspace, environment: process.env, now: new Date(), fix: false }),
  });
  try {
    const app = createApp(memory, { version, token, inspector, onError: note });
    await inspector.warm();
    const server = await listen(app, { host: HOST, port, token });
    const link = () => `${server.url}${inspector.createEntry()}`;
    const isShown = open && (await openBrowser(link(), process.platform, process.env));
    process.stdout.write(`${link()}\n`);
    note(
      isShown
        ? "opened in your browser; the link above works once, in another browser"
        : "open the link above; it works once",
    );
    if (process.stdin.isTTY) {
      note("press Enter for a new link, Ctrl+C to stop");
      createInterface({ input: process.stdin }).on("line", () => process.stdout.write(`${link()}\n`));
    }
    await untilSignal();
    inspector.close();
    await server.close();
    await app.finish();
  } finally {
    await memory.close();
  }
  process.stdin.destroy();
}
