import type { Command } from "commander";
import type { Session, SessionSummary } from "../../index.ts";
import { parseCount } from "../parse-count.ts";
import { countOf, formatTable, note, printResult } from "../print.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

/** Adds `sessions list|show|new`. */
export function addSessionsCommand(program: Command): void {
  const sessions = addWorkspaceOption(program.command("sessions"))
    .description("what was said, session by session")
    .helpCommand(false);
  addListCommand(sessions);
  addShowCommand(sessions);
  addNewCommand(sessions);
}

function addListCommand(sessions: Command): void {
  addWorkspaceOption(sessions.command("list"))
    .description("list the sessions, newest first")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }, command: Command) => {
      const list = await withMemory(command, { readOnly: true }, (memory) => memory.listSessions());
      for (const { path, reason } of list.skipped) note(`${path} was left out: ${reason}`);
      printResult(options.json, list, renderList);
    });
}

function renderList({ sessions }: { sessions: readonly SessionSummary[] }): string {
  if (sessions.length === 0) return "No sessions yet.";
  return formatTable(
    ["KEY", "MESSAGES", "CURSOR", "UPDATED"],
    sessions.map(({ key, messages, cursor, updatedAt }) => [key, String(messages), String(cursor), updatedAt]),
  );
}

function addShowCommand(sessions: Command): void {
  addWorkspaceOption(sessions.command("show"))
    .description("print what was said in a session")
    .argument("<key>", "the session's key, such as cli:main")
    .option("-n, --limit <count>", "only the newest messages", parseCount)
    .option("--json", "print JSON")
    .action(async (key: string, options: { json?: boolean; limit?: number }, command: Command) => {
      const { needSession } = await import("../need-session.ts");
      const { renderLine } = await import("../../consolidation/prompt.ts");
      await withMemory(command, { readOnly: true }, async (memory) => {
        const shown = describeSession(await needSession(memory, key), options.limit);
        const { timezone } = memory.config.agents.defaults;
        printResult(options.json, shown, ({ cursor, from, messages }) =>
          messages
            .flatMap((message, index) => [
              ...(from + index === cursor && cursor > 0
                ? [`~~~ tide mark: ${countOf(cursor, "message")} digested ~~~`]
                : []),
              renderLine(message, timezone),
            ])
            .join("\n"),
        );
      });
    });
}

function describeSession(session: Session, limit = Infinity) {
  const { key, createdAt, updatedAt, metadata, cursor } = session;
  const all = session.messages();
  const from = Math.max(0, all.length - limit);
  return { key, createdAt, updatedAt, metadata, cursor, total: all.length, from, messages: all.slice(from) };
}

function addNewCommand(sessions: Command): void {
  addWorkspaceOption(sessions.command("new"))
    .description("end a session and begin an empty one; what was said is archived and digested")
    .argument("<key>", "the session's key, such as cli:main")
    .option("--json", "print JSON")
    .action(async (key: string, options: { json?: boolean }, command: Command) => {
      await withMemory(command, {}, async (memory) => {
        const { archive = null } = await memory.startNew(key);
        printResult(options.json, { session: key, archive }, () =>
          archive === null ? `${key} is empty already.` : `${key} begins anew; what was said is in ${archive}`,
        );
        if (archive === null) return;
        // It is answered by now, and the digest is on record: whoever stops this loses nothing.
        await memory.settle({ retries: 0 });
        const { length } = (await memory.state.listJobs()).filter(({ lastError }) => lastError !== null);
        if (length > 0) note(`${countOf(length, "digest")} could not be made yet; the next start tries again`);
      });
    });
}
