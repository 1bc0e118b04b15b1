import { Command, CommanderError, Help } from "commander";
import { addBackupCommand } from "./commands/backup.ts";
import { addBlameCommand } from "./commands/blame.ts";
import { addChatCommand } from "./commands/chat.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addConfigCommand } from "./commands/config.ts";
import { addConnectCommand } from "./commands/connect.ts";
import { addConsolidateCommand } from "./commands/consolidate.ts";
import { addCopyCommand } from "./commands/copy.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addDiffCommand } from "./commands/diff.ts";
import { addDisconnectCommand } from "./commands/disconnect.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addEditCommand } from "./commands/edit.ts";
import { addExportCommand } from "./commands/export.ts";
import { addForgetCommand } from "./commands/forget.ts";
import { addHelpCommand } from "./commands/help.ts";
import { addHookCommand } from "./commands/hook.ts";
import { addImportCommand } from "./commands/import.ts";
import { addIndexCommand } from "./commands/index-command.ts";
import { addInitCommand } from "./commands/init.ts";
import { addLogCommand } from "./commands/log.ts";
import { addMaskCommand } from "./commands/mask.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addModelsCommand } from "./commands/models.ts";
import { addPullCommands } from "./commands/pull.ts";
import { addPinCommand, addRememberCommand, addRetireCommand } from "./commands/remember.ts";
import { addReplayCommand } from "./commands/replay.ts";
import { addRestoreCommand } from "./commands/restore.ts";
import { addReviewCommand } from "./commands/review.ts";
import { addSearchCommand } from "./commands/search.ts";
import type { WithRecall } from "./commands/search.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addSessionsCommand } from "./commands/sessions.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addTestCommand } from "./commands/test.ts";
import { addTidyCommand } from "./commands/tidy.ts";
import { addToolCommand } from "./commands/tool.ts";
import { addUiCommand } from "./commands/ui.ts";
import { addUndoCommand } from "./commands/undo.ts";
import { addWhyCommand } from "./commands/why.ts";
import { addWorkCommand } from "./commands/work.ts";
import { describeError } from "../errors.ts";
import { EXAMPLES } from "./examples.ts";
import { note, oneLine, printable } from "./print.ts";
import { maskAddresses } from "./mask-addresses.ts";
import { readVersion } from "./read-version.ts";
import { addWorkspaceOption, nameCache, existingWorkspace } from "./workspace.ts";

const lookUp =
  (wish: { readOnly: boolean }): WithRecall =>
  async (command, work) => {
    // Not the whole memory: half of the time that a question takes would be spent on what it never needs.
    const { openLookup } = await import("../open-lookup.ts");
    const lookup = await openLookup(await existingWorkspace(command), note, wish);
    try {
      return await work(lookup);
    } finally {
      await lookup.close();
    }
  };
const withRecall = lookUp({ readOnly: true });
const withIndex = lookUp({ readOnly: false });

// Only what help needs is imported here: the rest is loaded by the command that runs, so that help is there at once.
const COMMANDS: readonly (readonly [group: string, names: string, add: (program: Command) => void])[] = [
  ["Talk:", "init", addInitCommand],
  ["Talk:", "chat", addChatCommand],
  ["Talk:", "demo", addDemoCommand],
  ["Look:", "search", (program) => addSearchCommand(program, withRecall)],
  ["Look:", "why", addWhyCommand],
  ["Look:", "ui", addUiCommand],
  ["Look:", "status", addStatusCommand],
  ["Look:", "sessions", addSessionsCommand],
  ["Look:", "blame", addBlameCommand],
  ["Look:", "log", addLogCommand],
  ["Look:", "diff show", addDiffCommand],
  ["Change:", "remember", addRememberCommand],
  ["Change:", "retire", addRetireCommand],
  ["Change:", "pin", addPinCommand],
  ["Change:", "undo", addUndoCommand],
  ["Change:", "forget", addForgetCommand],
  ["Change:", "review", addReviewCommand],
  ["Change:", "restore", addRestoreCommand],
  ["Change:", "edit", addEditCommand],
  ["Change:", "consolidate", addConsolidateCommand],
  ["Change:", "tidy", addTidyCommand],
  ["Connect other programs:", "connect", addConnectCommand],
  ["Connect other programs:", "disconnect", addDisconnectCommand],
  ["Connect other programs:", "serve", addServeCommand],
  ["Connect other programs:", "mcp", addMcpCommand],
  ["Connect other programs:", "hook", addHookCommand],
  ["Connect other programs:", "work", addWorkCommand],
  ["Bring in and out:", "import", addImportCommand],
  ["Bring in and out:", "export", addExportCommand],
  ["Bring in and out:", "backup", addBackupCommand],
  ["Bring in and out:", "copy", addCopyCommand],
  ["Bring in and out:", "pull push", addPullCommands],
  ["Set up and check:", "config", addConfigCommand],
  ["Set up and check:", "models", addModelsCommand],
  ["Set up and check:", "doctor", addDoctorCommand],
  ["Set up and check:", "test", addTestCommand],
  ["Set up and check:", "replay", addReplayCommand],
  ["Set up and check:", "index", (program) => addIndexCommand(program, withIndex)],
  ["Set up and check:", "migrate", addMigrateCommand],
  ["Set up and check:", "tool", addToolCommand],
  ["Set up and check:", "mask", addMaskCommand],
  ["Set up and check:", "completion", addCompletionCommand],
  ["Set up and check:", "help", addHelpCommand],
];

/** What a person does first; `tidemark help all` has the rest. */
const FIRST = new Set(["init", "chat", "search", "why", "ui", "status", "remember", "undo", "forget", "connect"]);

/** Words that other programs have taught people. */
const HABITS: Readonly<Record<string, string>> = {
  "-V": "--version",
  version: "--version",
  add: "remember",
};

/** The same, where they could mean several things. */
const MEANT: Readonly<Record<string, string>> = {
  list: "tidemark blame lists the facts, tidemark sessions the conversations",
  ls: "tidemark blame lists the facts, tidemark sessions the conversations",
  get: "tidemark search finds what was said, tidemark why explains a fact",
  delete: "tidemark retire takes one fact out, tidemark forget removes every trace of something",
  rm: "tidemark retire takes one fact out, tidemark forget removes every trace of something",
};

/** Runs the command line. Results go to stdout, the rest to stderr; exit 0, 1 for a failure, 2 for wrong usage. */
export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on("error", leaveQuietly);
  // Everyone on the machine can list what runs with which words; an address among them may hold a password.
  const words = argv.slice(2).join(" ");
  if (maskAddresses(words) !== words) process.title = `tidemark ${maskAddresses(words)}`;
  // Node 22 calls its SQLite experimental at each start; that is nothing a person could act on.
  process.removeAllListeners("warning").on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") note(message);
  });
  process.on("uncaughtException", (error) => {
    fail(error);
    process.exit();
  });
  try {
    const given = argv.slice(2);
    const at = placeOfCommand(given);
    const typed = given.map((word, index) => (index === at ? (HABITS[word] ?? word) : word));
    const program = createProgram(typed);
    const meant = MEANT[typed[at] ?? ""];
    if (meant !== undefined) program.error(`unknown command '${typed[at]}'; ${meant}`);
    await program.parseAsync(typed, { from: "user" });
  } catch (error) {
    fail(error);
  }
}

/** The whole command line, for those who describe it; for those who run it what these words need. */
export function createProgram(words: readonly string[] = []): Command {
  const program = addWorkspaceOption(new Command("tidemark"))
    .description("The memory of an AI agent, over a folder of plain files.")
    .version(readVersion(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", HELP_END);
  // Before the commands: they take these settings over from the program.
  // What follows the name of a command is its own: `sessions show KEY --json` is for show.
  program.enablePositionalOptions();
  program.hook("preAction", (_, command) => nameCache(command));
  program.exitOverride().configureOutput({
    outputError: (text, write) => write(`tidemark: ${maskAddresses(oneLine(text.replace(/^error: /, "")))}\n`),
  });
  // Made whole, it takes a fifth of the time that a short command does.
  const asked = words[placeOfCommand(words)] ?? "";
  const wanted = COMMANDS.filter(([, names]) => names.split(" ").includes(asked));
  for (const [group, , addCommand] of wanted.length > 0 && !HOLDS_ALL.has(asked) ? wanted : COMMANDS) {
    program.commandsGroup(group);
    addCommand(program);
  }
  for (const command of program.commands) addExamples(command, command.name());
  const isWhole = asked === "help" && words.includes("all");
  program.configureHelp({
    visibleCommands(command) {
      const all = Help.prototype.visibleCommands.call(this, command);
      return command === program && !isWhole ? all.filter((each) => FIRST.has(each.name())) : all;
    },
  });
  return program;
}

// These look through the others.
const HOLDS_ALL = new Set(["help", "completion"]);

/** Where the name of the command stands, behind the program's own options with their values. */
function placeOfCommand(words: readonly string[]): number {
  return words.findIndex((word, index) => index % 2 === 0 && !TAKES_VALUE.has(word));
}

const TAKES_VALUE = new Set(["-w", "--workspace", "--store", "--cache"]);

function addExamples(command: Command, path: string): void {
  const lines = EXAMPLES[path];
  if (lines) command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  for (const each of command.commands) addExamples(each, `${path} ${each.name()}`);
}

const HELP_END = `
tidemark help all lists every command, tidemark help COMMAND explains one.
The workspace is the folder given by -w, or else TIDEMARK_WORKSPACE, or else ~/.tidemark/workspace. With --store or
TIDEMARK_STORE it is in a database, and -w is its name there.
Exit status: 0 done, 1 failed, 2 wrong usage.`;

/** One line for a person; the stack only for whoever asks for it. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has said it already; what it ends with an error for is wrong usage.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  process.exitCode = 1;
  const reason = printable(maskAddresses(describeError(error))) || "failed without a message";
  process.stderr.write(`tidemark: ${reason}\n`);
  if (error instanceof Error && process.env["TIDEMARK_DEBUG"] === "1")
    process.stderr.write(`${maskAddresses(error.stack ?? "")}\n`);
}

/** The reader of a pipe may leave when it has seen enough: `tidemark sessions show … | head`. */
function leaveQuietly(error: Error): void {
  if ("code" in error && error.code === "EPIPE") process.exit(process.exitCode ?? 0);
  fail(error);
  process.exit();
}
