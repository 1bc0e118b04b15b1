import type { Command } from "commander";
import type { Session } from "../../index.ts";
import { parseCount } from "../parse-count.ts";
import { countOf, note, oneLine, printable, printResult } from "../print.ts";
import { refuseUnknown } from "../refuse-unknown.ts";
import { addWorkspaceOption, withMemory } from "../workspace.ts";

interface ListFlags {
  json?: boolean;
  limit?: number;
  all?: boolean;
  names?: boolean;
}

/** Adds `sessions`, which lists, and `sessions list|show|new`. */
export function addSessionsCommand(program: Command): void {
  const sessions = withListOptions(addWorkspaceOption(program.command("sessions")))
    .description("list the sessions, newest first: title, last words, when, how much is waiting")
    .helpCommand(false)
    .allowExcessArguments()
    .action(async (options: ListFlags, command: Command) => {
      await refuseUnknown(command);
      await printList(options, command);
    });
  withListOptions(addWorkspaceOption(sessions.command("list")))
    .description("the same as `tidemark sessions`")
    .action(printList);
  addShowCommand(sessions);
  addNewCommand(sessions);
}

function withListOptions(command: Command): Command {
  return command
    .option("-n, --limit <count>", "how many (20)", parseCount)
    .option("--all", "all of them")
    .option("--names", "print only the keys of all of them, one a line")
    .option("--json", "print JSON; all of them, unless -n is given");
}

async function printList(options: ListFlags, command: Command): Promise<void> {
  const { describeSessions, renderSessions } = await import("../describe-sessions.ts");
  // `sessions list --all` may have its flags on either word.
  const { json, all, limit, names } = { ...command.parent?.opts<ListFlags>(), ...options };
  const most = limit ?? (all || json ? Infinity : MOST_SESSIONS_LISTED);
  await withMemory(command, { readOnly: true }, async (memory) => {
    const { sessions, skipped } = await memory.listSessions();
    if (names && !json) {
      const keys = sessions.slice(0, limit).map(({ key }) => `${printable(oneLine(key))}\n`);
      process.stdout.write(keys.join(""));
      return;
    }
    for (const { path, reason } of skipped) note(`${path} was skipped: ${reason}`);
    const shown = await describeSessions(memory, sessions.slice(0, most));
    const { timezone } = memory.config.agents.defaults;
    printResult(json, { sessions: shown, skipped }, () =>
      renderSessions(shown, sessions.length, { now: new Date(), timezone, width: process.stdout.columns ?? 100 }),
    );
  });
}

const MOST_SESSIONS_LISTED = 20;

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
    .description("end a session and start an empty one; what was said is archived and digested")
    .argument("<key>", "the session's key, such as cli:main")
    .option("--json", "print JSON")
    .action(async (key: string, options: { json?: boolean }, command: Command) => {
      await withMemory(command, {}, async (memory) => {
        const { archive = null } = await memory.startNew(key);
        printResult(options.json, { session: key, archive }, () =>
          archive === null ? `${key} is already empty.` : `${key} starts over; what was said is in ${archive}`,
        );
        if (archive === null) return;
        // It is answered by now, and the digest is on record: whoever stops this loses nothing.
        await memory.settle({ retries: 0 });
        const { length } = (await memory.queue.listJobs()).filter(({ lastError }) => lastError !== null);
        if (length > 0) note(`${countOf(length, "digest")} could not be made yet; the next start will try again`);
      });
    });
}
